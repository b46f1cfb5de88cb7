import Testing
import TidelogSDL
import TidelogSchema

@Suite struct DiagnosticTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let sdl: String
        let text: String

        init(_ sdl: String, _ text: String) {
            self.sdl = sdl
            self.text = text
        }

        var testDescription: String { text }
    }

    static let documents: [Case] = [
        Case("type A @model {", "1:16: expected a field definition, found the end of the document"),
        Case("query { a }", "1:1: a schema holds no operations and fragments"),
        Case("type A { a: Int }", "1:1: the schema has no type with @model"),
        Case("type A @modle { a: Int }", #"1:8: unknown directive @modle; did you mean "@model"?"#),
        Case("type A @model { a: Int @modell }", #"1:24: unknown directive @modell; did you mean "@model"?"#),
        Case("type A @model { a: Int @model }", "1:24: @model belongs on a type"),
        Case("type A @model @index { a: Int }", "1:15: @index belongs on a field"),
        Case("type A @model @model { a: Int }", "1:15: @model stands here twice"),
        Case(
            "type A @model { a: Int @index(nam: \"b\") }",
            #"1:31: @index has no argument "nam"; did you mean "name"?"#),
        Case(
            "type A @model @key(fields: [\"id\"]) { a: Int }",
            "1:15: @key belongs to version 1 of the transformer; write @primaryKey on the field id"),
        Case("enum E @model { a }\ntype A @model { a: E }", "1:8: @model belongs on an object type or its fields"),
        Case(
            "type Datum @model { a: Int }\ntype Data @model { a: Int }",
            "2:6: the models Datum and Data both have the query listData; rename one of the two models, or its operations: "
                + #"write "@model(queries: {list: "…", sync: "…"})" on Data"#),
        Case(
            "type a @model { a: Int }\ntype A @model { a: Int }",
            "2:6: the types of the models a and A have the same names in the API; rename one of the two models"),
        Case("type A @model { a: Int }\ntype A { b: Int }", "2:6: the type A is declared twice"),
        Case("type A @model { a: Int\n  a: Int }", "2:3: the field A.a is declared twice"),
        Case(
            "type A @model { a: Int }\nextend type A { b: Int a: Int }", "2:24: the field A.a is declared twice"),
        Case(
            "type Abc @model { a: Int }\nextend type Abd { b: Int }",
            #"2:13: there is no type Abd to extend; did you mean "Abc"?"#),
        Case(
            "type A @model { a: Int }\nextend enum A { b }",
            "2:13: A is declared as something else than what extends it"),
        Case(
            "type A { a: Int }\nextend type A @model { b: Int }",
            "2:15: directives belong on the declaration of A, not on what extends it"),
        Case(
            "type A @model { a: Int }\ntype Query { a: Int @functon(name: \"f\") }",
            #"2:21: unknown directive @functon; did you mean "@function"?"#),
        Case(
            "type A @model { a: Int }\ntype Query { a: Int }\nextend type Query { a: Int }",
            "3:21: the field Query.a is declared twice"),
        Case(
            "type A @model { a: Int }\ntype Query { a: Int @default(value: \"1\") }",
            "2:21: @default belongs on a field"),
        Case(
            "type A @model { a: Int @sql(statement: \"\") }",
            "1:24: @sql belongs on a field of Query, Mutation or Subscription"),
        Case(
            "type A @model { e: E }\nenum E { a @deprcated }",
            #"2:12: unknown directive @deprcated; did you mean "@deprecated"?"#),
        Case(
            "type A @model { b: B }\ntype B { a: Int @index }",
            #"2:17: @index belongs on a field of a model, and B is none; add "@model" to B"#),
        Case(
            "type A @model { b: B }\ntype B @searchable { a: Int }",
            #"2:8: @searchable belongs on a model, and B is none; add "@model" to B"#),
        Case(
            "type A @model @mapsTo(name: \"C\") { a: Int }\ntype B @model @mapsTo(name: \"C\") { a: Int }",
            #"2:29: B and A both map to "C""#),
        Case("type A @model @mapsTo { a: Int }", #"1:15: @mapsTo needs "name""#),
        Case(
            "input AMPLIFY { globalAuthRul: AuthRule }\ntype A @model { a: Int }",
            #"1:17: AMPLIFY has no setting "globalAuthRul"; did you mean "globalAuthRule"?"#),
        Case(
            "input AMPLIFY { globalAuthRule: AuthRule = { alow: public } }\ntype A @model { a: Int }",
            #"1:46: globalAuthRule has no "alow"; did you mean "allow"?"#),
        Case(
            "type A @model(subscriptions: {level: of}) { a: Int }",
            #"1:38: "level" in "subscriptions" of @model cannot be of, only off, public, on; did you mean "off"?"#),
        Case(
            "type A @model(queries: {got: \"a\"}) { a: Int }",
            #"1:25: "queries" of @model has no "got"; did you mean "get"?"#),
        Case("type A @model(queries: \"a\") { a: Int }", #"1:24: "queries" of @model must be an object"#),
        Case("type A @model @auth { a: Int }", #"1:15: @auth needs "rules""#),
        Case("type A @model @auth(rules: [{provider: iam}]) { a: Int }", #"1:29: "rules" of @auth needs "allow""#),
        Case(
            "type A @model @auth(rules: [{allow: owner, operations: [raed]}]) { a: Int }",
            #"1:57: "operations" in "rules" of @auth cannot be raed, only create, update, delete, read, get, list, "#
                + #"sync, listen, search; did you mean "read"?"#),
        Case("type String @model { a: Int }", "1:6: \"String\" is the name of a scalar"),
        Case("type __A @model { a: Int }", "1:6: names that start with two underscores are GraphQL's own"),
        Case("enum E { a b\n a }\ntype A @model { a: E }", "2:2: the case a is declared twice"),
    ]

    static let fields: [Case] = [
        Case("a: Strng", #"2:4: unknown type Strng; did you mean "String"?"#),
        Case("a: Double", #"2:4: unknown type Double; did you mean "Float"?"#),
        Case("a: [[Nothing!]]!", "2:6: unknown type Nothing"),
        Case("a: Own", "2:4: Own is a scalar of your own, which no server of this kind takes"),
        Case("a: Face", "2:4: Face is abstract and cannot be stored"),
        Case("a: Given", "2:4: Given is an input, not a type of values"),
        Case("a(b: Int): Int", "2:3: A.a is stored, so it takes no arguments"),
        Case("a: Paged", "7:21: Paged is stored inside records and cannot refer to the model A"),
        Case("id: ID", #"2:1: the key A.id must be required and one value; write "id: ID!""#),
        Case("a: ID @primaryKey", #"2:1: the key field A.a must be required; write "a: ID!""#),
        Case("a: [ID]! @primaryKey", "2:1: A.a is a list or an object and cannot be part of a key"),
        Case("a: ID! @primaryKey b: ID! @primaryKey", "2:27: A has more than one @primaryKey"),
        Case(
            "a: ID! @primaryKey(sortKeyFields: [\"bb\"])\nbbb: Int!",
            #"2:36: A has no field "bb"; did you mean "bbb"?"#),
        Case("a: ID! @primaryKey(sortKeyFields: [\"a\"])", "2:36: the key of A names a twice"),
        Case(
            "a: ID! @primaryKey(sortKeyFields: 1)", #"2:35: "sortKeyFields" of @primaryKey must be a list of strings"#),
        Case("a: Int @index(name: \"x\", sortKeyFields: [\"b\"])", #"2:42: A has no field "b"; did you mean "a"?"#),
        Case("a: Int @index(name: \"x\") @index(name: \"x\")", #"2:39: A has two indexes called "x""#),
        Case("a: Int @index(name: \"x y\")", "2:21: the name of an index is letters, digits and underscores"),
        Case("a: Int @index(name: 1)", #"2:21: "name" of @index must be a string"#),
        Case("a: Int @default(value: \"1.5\")", "2:24: the default is no Int"),
        Case("a: AWSDate @default(value: \"2026-02-30\")", "2:28: the default is no AWSDate"),
        Case("a: Int @default", #"2:8: @default needs "value""#),
        Case("a: Int @default(value: 1)", #"2:24: "value" of @default must be a string"#),
        Case("a: AWSEmail @default(value: \"a\")", "2:29: the default is no AWSEmail"),
        Case("a: AWSJSON @default(value: \"{\")", "2:28: the default is no AWSJSON"),
        Case("a: AWSURL @default(value: \"a\")", "2:27: the default is no AWSURL"),
        Case("a: AWSPhone @default(value: \"a\")", "2:29: the default is no AWSPhone"),
        Case("a: AWSIPAddress @default(value: \"a\")", "2:33: the default is no AWSIPAddress"),
        Case("a: AWSTime @default(value: \"24:00\")", "2:28: the default is no AWSTime"),
        Case("a: AWSDateTime @default(value: \"2024-01-01\")", "2:32: the default is no AWSDateTime"),
        Case("a: AWSTimestamp @default(value: \"1.5\")", "2:33: the default is no AWSTimestamp"),
        Case("a: Float @default(value: \"inf\")", "2:26: the default is no Float"),
        Case("a: Boolean @default(value: \"yes\")", "2:28: the default is no Boolean"),
        Case("a: Int @validate(type: gt)", #"2:8: @validate needs "value""#),
        Case(
            "a: Int @validate(type: greater, value: \"1\")",
            #"2:24: "type" of @validate cannot be greater, only gt, lt, gte, lte, minLength, maxLength, startsWith, "#
                + "endsWith, matches"),
        Case("a: Int @validate(type: gt, value: \"x\")", "2:35: the bound of gt must be a number"),
        Case("a: Int @validate(type: matches, value: \"x\")", "2:24: matches compares String, and A.a is Int"),
        Case("a: String @validate(type: gt, value: \"1\")", "2:27: gt compares Int or Float, and A.a is String"),
        Case(
            "a: String @validate(type: minLength, value: \"-1\")",
            "2:45: the bound of minLength must be a whole number from 0 on"),
        Case(
            "a: String @validate(type: matches, value: \"^(?!b)\")",
            #"2:43: the pattern of matches cannot be used: "(?!" looks ahead, which Tidelog cannot match"#),
        Case(
            "a: Int @validate(type: gt, value: \"1\") @validate(type: gt, value: \"2\")",
            "2:40: @validate says gt of A.a twice"),
        Case(
            "a: [Int] @validate(type: gt, value: \"1\")",
            "2:10: @validate belongs on a field with one value, and A.a is a list"),
        Case(
            "a: Int @validate(type: gt, value: \"1\") @default(value: \"2\")", "2:8: @default comes before @validate"),
        Case(
            "a: Int @http(method: GETS, url: \"x\")",
            #"2:22: "method" of @http cannot be GETS, only GET, POST, PUT, DELETE, PATCH; did you mean "GET"?"#),
        Case("a: Int @function", #"2:8: @function needs "name""#),
        Case("a: [Int] @default(value: \"1\")", "2:10: only a field with one scalar or enum value has a default"),
        Case(
            "a: Level @default(value: \"hihg\")",
            #"2:26: the default is no case of Level (high, low); did you mean "high"?"#),
        Case(
            "b: B",
            #"2:4: A.b leads to the model B without saying how; "#
                + #"add "@hasOne", "@hasMany", "@belongsTo" or "@manyToMany""#),
        Case("b: Place @hasOne", "2:4: @hasOne leads to a model, and Place is none"),
        Case("b: BB @hasOne", #"2:4: unknown type BB; did you mean "B"?"#),
        Case(
            "b: B @hasMany",
            "2:4: @hasMany belongs on a field with a list of records; did you mean @hasOne or @belongsTo?"),
        Case("b: [B] @hasOne", "2:4: @hasOne belongs on a field with one record; did you mean @hasMany?"),
        Case("b: B @hasOne @index", "2:14: @index belongs on a field with a value, and b is a relation"),
        Case("b: B @hasOne @belongsTo", "2:14: A.b has more than one relation"),
        Case(
            "b: B @hasOne(fields: [\"x\"], references: [\"y\"])", #"2:29: "fields" and "references" exclude each other"#
        ),
        Case("b: B @hasOne(fields: [\"x\"])", #"2:23: A has no field "x""#),
        Case("x: Int b: B @hasOne(fields: [\"x\"])", "2:30: A.x and B.id must have one type"),
        Case(
            "x: ID b: B @hasOne(fields: [\"x\", \"x\"])",
            "2:12: @hasOne takes 1 field here, one for each of B's id"),
        Case("b: [B] @hasMany(indexName: \"byAa\")", #"2:28: B has no index called "byAa"; did you mean "byA"?"#),
        Case(
            "b: [B] @hasMany(indexName: \"byA\", fields: [\"id\", \"id\"])",
            "2:8: @hasMany takes 1 field here, one for each of B's aID"),
        Case("b: [B] @hasMany(limit: 0)", #"2:24: "limit" of @hasMany must be a whole number above 0"#),
        Case("b: [B] @hasMany(references: [\"aaID\"])", #"2:30: B has no field "aaID"; did you mean "aID"?"#),
        Case("aBId: Int b: B @hasOne", "2:16: A.aBId holds the key of B and so must be ID"),
        Case("b: B @belongsTo", "2:6: @belongsTo needs @hasOne or @hasMany in B that leads to A"),
        Case(
            "c: C @hasOne",
            "2:6: A and C refer to each other with @hasOne; use \"@belongsTo\" on the side that holds the key"
        ),
        Case("b: [B] @manyToMany", #"2:8: @manyToMany needs "relationName""#),
        Case(
            "b: [B] @manyToMany(relationName: \"AB\")",
            #"2:8: @manyToMany must name the relation "AB" exactly twice, not 1 times"#),
        Case("b: [B] @manyToMany(relationName: \"place\")", #"2:34: "Place" is the name of a type already"#),
        Case(
            "b: [A] @manyToMany(relationName: \"AA\") c: [A] @manyToMany(relationName: \"AA\")",
            "2:47: the relation \"AA\" must join two models"),
    ]

    @Test(arguments: documents)
    func `an error in a document is reported with line, column and a suggestion`(_ test: Case) {
        #expect(diagnostic(test.sdl) == test.text)
    }

    @Test(arguments: fields)
    func `an error in a field is reported with line, column and a suggestion`(_ test: Case) {
        let sdl = """
            type A @model {
            \(test.sdl)
            }
            scalar Own interface Face { a: Int } input Given { a: Int } enum Level { low high }
            type B @model { aID: ID @index(name: "byA") }
            type C @model { a: A @hasOne }
            type Paged { items: [A] }
            type Place { name: String }
            """
        let lines = test.sdl.split(separator: "\n").count
        #expect(diagnostic(sdl) == test.text.replacing("7:21", with: "\(6 + lines):21"))
    }

    @Test(arguments: [
        (#"@model(timestamps: {made: "x"})"#, #"1:28: "timestamps" of @model has no "made""#),
        (#"@model(timestamps: {createdAt: 1})"#, #"1:39: "createdAt" of @model must be the name of a field or null"#),
        (#"@model(timestamps: 1)"#, #"1:27: "timestamps" of @model must be an object or null"#),
    ])
    func `a wrong timestamps argument of @model is reported`(_ directive: String, _ text: String) {
        #expect(diagnostic("type A \(directive) { a: Int }") == text)
    }

    @Test(arguments: [
        ("lead: Mate @hasOne deputy: Mate @hasOne", "team: Team @belongsTo", true),
        ("lead: Mate @hasOne deputy: Mate @hasOne", #"tID: ID team: Team @belongsTo(fields: ["tID"])"#, true),
        ("lead: Mate @hasOne deputy: Mate @hasOne", "a: Team @belongsTo b: Team @belongsTo", false),
        ("lead: Mate @hasOne deputy: Mate @hasOne", "name: String", false),
        ("lead: Mate @hasOne deputy: Mate @hasOne third: Mate @hasOne", "a: Team @belongsTo b: Team @belongsTo", true),
        ("all: [Mate] @hasMany lead: Mate @hasOne deputy: Mate @hasOne", "team: Team @belongsTo", false),
        ("lead: Mate @hasOne all: [Mate] @hasMany", "team: Team @belongsTo", false),
        (
            #"lead: Mate @hasOne(references: ["leadID"]) deputy: Mate @hasOne(references: ["deputyID"])"#,
            #"leadID: ID deputyID: ID team: Team @belongsTo(references: ["leadID"])"#, false
        ),
        (
            #"lead: Mate @hasOne(references: ["leadID"]) deputy: Mate @hasOne(references: ["deputyID"])"#,
            "leadID: ID deputyID: ID team: Team @belongsTo", true
        ),
        (
            #"lead: Mate @hasOne(references: ["tID"]) deputy: Mate @hasOne(references: ["tID"])"#,
            #"tID: ID team: Team @belongsTo(references: ["tID"])"#, true
        ),
    ])
    func `one @belongsTo cannot answer two @hasOne`(_ team: String, _ mate: String, _ isRefused: Bool) {
        let text = diagnostic("type Team @model { \(team) }\ntype Mate @model { \(mate) }")
        guard isRefused else {
            #expect(text == nil)
            return
        }
        #expect(text?.hasPrefix("2:") == true)
        #expect(
            text?.contains("@belongsTo answers one @hasOne, and both Team.lead and Team.deputy lead to Mate") == true)
    }

    @Test func `the two sides of a many-to-many relation must lead to each other`() {
        let sdl = """
            type A @model { b: [B] @manyToMany(relationName: "AB") }
            type B @model { c: [C] @manyToMany(relationName: "AB") }
            type C @model { x: Int }
            """
        #expect(diagnostic(sdl) == #"2:20: the relation "AB" joins A and B, so this must lead to A"#)
    }

    @Test func `a clash with the model that joins two others is reported at the relation that names that model`() {
        let sdl = """
            type A @model { b: [B] @manyToMany(relationName: "Post") }
            type B @model { a: [A] @manyToMany(relationName: "Post") }
            type post @model { x: Int }
            """
        let clash = "the types of the models post and Post have the same names in the API"
        #expect(diagnostic(sdl) == "2:24: \(clash); rename one of the two models")
    }

    @Test func `a model that no store can hold is reported at its declaration`() {
        let fields = (0...Limits.fieldCount).map { "f\($0): Int" }.joined(separator: " ")
        let text = diagnostic("type A @model { a: Int }\n\ntype B @model { \(fields) }")
        #expect(text?.hasPrefix("3:6: ") == true, "\(text ?? "")")
    }

    @Test func `a diagnostic becomes an error of the store that says that the schema is invalid`() {
        let error = #expect(throws: SchemaDiagnostic.self) { try Schema(sdl: "type A @modle { a: Int }") }
        #expect(error?.dataStoreError.code == .invalidSchema)
        #expect(error?.dataStoreError.message == #"1:8: unknown directive @modle; did you mean "@model"?."#)
    }

    private func diagnostic(_ sdl: String) -> String? {
        do {
            _ = try Schema(sdl: sdl)
            return nil
        } catch {
            return error.description
        }
    }
}

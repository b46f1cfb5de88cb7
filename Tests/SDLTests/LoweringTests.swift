import Testing
import TidelogCore
import TidelogSDL
import TidelogSchema

@Suite struct LoweringTests {
    @Test func `every scalar has its field type, and a text scalar keeps its name`() throws {
        let scalars: [(String, FieldType)] = [
            ("ID", .id), ("String", .string), ("Int", .int), ("Float", .double), ("Boolean", .bool),
            ("AWSDate", .date), ("AWSTime", .time), ("AWSDateTime", .dateTime), ("AWSTimestamp", .timestamp),
            ("AWSEmail", .string), ("AWSJSON", .string), ("AWSURL", .string), ("AWSPhone", .string),
            ("AWSIPAddress", .string),
        ]
        let fields = scalars.map { "f\($0.0): [\($0.0)!]!" }.joined(separator: "\n")
        let schema = try Schema(sdl: "type All @model {\n\(fields)\n}")
        for (name, type) in scalars {
            let field = schema.models[0].field(named: "f\(name)")
            #expect(field?.type == .list(type, elementIsRequired: true))
            #expect(field?.isRequired == true)
            #expect(field?.scalar == (type == .string && name != "String" ? name : nil))
        }
        #expect(try Schema(sdl: schema.sdl) == schema)
    }

    @Test func `a default is a value of its field's type`() throws {
        let schema = try Schema(
            sdl: """
                enum Level { low high }
                type Task @model {
                  title: String! @default(value: "new \\"task\\"")
                  rank: Int @default(value: "-9223372036854775808")
                  weight: Float @default(value: "0.1")
                  done: Boolean! @default(value: "false")
                  level: Level @default(value: "high")
                  due: AWSDate @default(value: "2026-11-21+02:00")
                  at: AWSTime @default(value: "10:30")
                  start: AWSDateTime @default(value: "2026-11-21T10:30:00.000Z")
                  stamp: AWSTimestamp @default(value: "12")
                }
                """)
        let values = schema.models[0].fields.compactMap(\.defaultValue)
        #expect(
            values == [
                "new \"task\"", .int(.min), 0.1, false, "high", .date(try Temporal.Date("2026-11-21+02:00")),
                .time(try Temporal.Time("10:30")), .dateTime(try Temporal.DateTime("2026-11-21T10:30:00.000Z")), 12,
            ])
        let printed = try Schema(sdl: schema.sdl)
        #expect(printed == schema)
        #expect(printed.sdl.contains(#"@default(value: "2026-11-21T10:30:00.000Z")"#))
    }

    @Test(.timeLimit(.minutes(5))) func `an enum may have 40,000 cases`() throws {
        let cases = (0..<40_000).map { "C\($0)" }
        let schema = try Schema(
            sdl: """
                enum Code { \(cases.joined(separator: " ")) }
                type Task @model {
                \((0..<500).map { "c\($0): Code @default(value: \"C\(39_000 + $0)\")" }.joined(separator: "\n"))
                }
                """)
        #expect(schema.enums == [EnumSchema(name: "Code", cases: cases)])
        let stored = StoredSchema(first: schema)
        let bytes = SchemaCoding.encode(stored)
        #expect(try bytes.withUnsafeBytes { try SchemaCoding.decode($0) } == stored)
        #expect(throws: SchemaDiagnostic.self) {
            try Schema(sdl: "enum Code { \(cases.joined(separator: " ")) C7 }\ntype Task @model { code: Code }")
        }
    }

    @Test func `a model without a key gets an id as its first field`() throws {
        let schema = try Schema(sdl: "type Note @model { text: String }")
        #expect(schema.models[0].fields.map(\.name) == ["id", "text", "createdAt", "updatedAt"])
        #expect(schema.models[0].primaryKey == ["id"])
        let own = try Schema(sdl: "type Note @model { isbn: ID! @primaryKey text: String }")
        #expect(own.models[0].fields.map(\.name) == ["isbn", "text", "createdAt", "updatedAt"])
        #expect(own.models[0].primaryKey == ["isbn"])
    }

    @Test(arguments: [
        ("@model", ["createdAt", "updatedAt"]),
        ("@model(timestamps: null)", []),
        (#"@model(timestamps: {createdAt: "made"})"#, ["made", "updatedAt"]),
        (#"@model(timestamps: {createdAt: "made", updatedAt: null})"#, ["made"]),
        (#"@model(queries: {get: "oneNote"}, timestamps: {createdAt: null})"#, ["updatedAt"]),
    ])
    func `timestamps have the names that @model gives them, and are left out if it gives null`(
        _ directive: String, _ names: [String]
    ) throws {
        let schema = try Schema(sdl: "type Note \(directive) { text: String }")
        #expect(schema.models[0].fields.filter(\.isReadOnly).map(\.name) == names)
        #expect(try Schema(sdl: schema.sdl) == schema)
    }

    @Test func `a declared timestamp keeps its place and its declaration`() throws {
        let schema = try Schema(sdl: "type Note @model { createdAt: AWSDateTime! text: String }")
        #expect(schema.models[0].fields.map(\.name) == ["id", "createdAt", "text", "updatedAt"])
        #expect(schema.models[0].fields[1] == FieldSchema("createdAt", .dateTime, isRequired: true))
        #expect(try Schema(sdl: schema.sdl) == schema)
        let only = try Schema(sdl: "type Note @model(timestamps: null) { createdAt: AWSDateTime! text: String }")
        #expect(try Schema(sdl: only.sdl) == only)
    }

    @Test func `an index without a name gets the name that Amplify gives it`() throws {
        let schema = try Schema(
            sdl: """
                type Category @model { postId: ID! @index(sortKeyFields: ["rank"]) @index(name: "b") rank: Int }
                type Person @model { city: String @index }
                """)
        #expect(
            schema.models[0].indexes == [
                IndexSchema(
                    name: "categoriesByPostIdAndRank", fields: ["postId", "rank"],
                    queryField: "categoriesByPostIdAndRank"),
                IndexSchema(name: "b", fields: ["postId"], queryField: "categoriesByPostId"),
            ])
        #expect(schema.models[1].indexes.map(\.name) == ["peopleByCity"])
    }

    @Test func `directives that the store does not interpret are kept as text, and descriptions are kept too`() throws {
        let schema = try Schema(
            sdl: """
                directive @mine(a: Int) on OBJECT
                \"""
                A note.
                  With an indented line.
                \"""
                type Note @model(queries: null) @auth(rules: [{allow: owner, operations: [read]}]) @mine(a: 1) {
                  "Its text" text: String @auth(rules: [{allow: private}]) @deprecated
                  sum: Int! @function(name: "sum")
                }
                """)
        let note = schema.models[0]
        #expect(
            note.directives == [
                "@model(queries: null)", "@auth(rules: [{allow: owner, operations: [read]}])", "@mine(a: 1)",
            ])
        #expect(note.documentation == "A note.\n  With an indented line.")
        #expect(note.fields[1].directives == ["@auth(rules: [{allow: private}])", "@deprecated"])
        #expect(note.fields[1].documentation == "Its text")
        #expect(note.fields[2].isReadOnly && !note.fields[2].isRequired)
    }

    @Test func `types that a store does not use, for example inputs and unions, are left out`() throws {
        let schema = try Schema(
            sdl: """
                schema { query: Root }
                interface Node { id: ID! }
                union Any = Note | Place
                scalar AWSDate
                input Filter { text: String }
                type Root { echo(text: String): String @function(name: "echo") }
                type Mutation { a: Int }
                type Page { items: [Note] }
                type Wrapped { page: Page }
                extend type Root { more: Int }
                type Place { name: String near: [Place!] kind: Kind }
                type Spare { name: String! }
                enum Kind { here there }
                type Note implements Node @model { id: ID! place: Place! }
                """)
        #expect(schema.models.map(\.name) == ["Note"])
        #expect(schema.embeddedTypes.map(\.name) == ["Place", "Spare"])
        #expect(schema.enums.map(\.name) == ["Kind"])
        #expect(schema.models[0].field(named: "place")?.type == .embedded("Place"))
        #expect(
            schema.embeddedTypes[0].fields[1].type == .list(.embedded("Place"), elementIsRequired: true))
    }
}

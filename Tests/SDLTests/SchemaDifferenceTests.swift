import SeededNumbers
import Testing
import TidelogCore
import TidelogSDL
import TidelogSchema

@Suite struct SchemaDifferenceTests {
    static let base = """
        enum Level { low high }
        type Place { name: String! }
        type Spare { a: Int }
        type Note @model {
          id: ID!
          title: String
          rank: Int! @index(name: "byRank")
          level: Level @default(value: "low")
          places: [Place!]
          email: AWSEmail
        }
        type Tag @model { id: ID! label: String }
        """

    static let changes: [(String, String, String, Bool)] = [
        ("title: String", "title: String more: Int", "Note.more: optional field added", true),
        (
            "title: String", #"title: String more: Int! @default(value: "1")"#,
            "Note.more: required field added", true
        ),
        ("title: String", "title: String more: Int!", "Note.more: required field added", false),
        ("title: String", "", "Note.title: field removed", true),
        ("title: String", "title: Int", "Note.title: type changed from String to Int", false),
        ("title: String", "title: String!", "Note.title: required now", false),
        (
            #"title: String"#, #"title: String! @default(value: "x")"#,
            "Note.title: required now|Note.title: default added",
            true
        ),
        ("rank: Int!", "rank: Int", "Note.rank: optional now", true),
        ("[Place!]", "[Place]", "Note.places: type changed from [Place!] to [Place]", true),
        ("email: AWSEmail", "email: AWSURL", "Note.email: scalar changed from AWSEmail to AWSURL", true),
        ("email: AWSEmail", "email: String", "Note.email: scalar changed from AWSEmail to String", true),
        (#"@default(value: "low")"#, #"@default(value: "high")"#, "Note.level: default changed", true),
        (#"@default(value: "low")"#, "", "Note.level: default removed", true),
        ("title: String", "title: String @auth(rules: [])", "Note.title: directives changed", true),
        (
            "title: String", #"title: String @validate(type: minLength, value: "3")"#,
            "Note.title: rule minLength 3 added; values that are stored stay", true
        ),
        (
            "rank: Int!", #"rank: Int! @validate(type: gt, value: "3") @auth(rules: [])"#,
            "Note.rank: rule gt 3 added; values that are stored stay|Note.rank: directives changed", true
        ),
        ("title: String", "\"t\" title: String", "Note.title: description changed", true),
        ("title: String", #"title: String @index(name: "x")"#, "Note.x: index on (title) added", true),
        (#"@index(name: "byRank")"#, "", "Note.byRank: index removed", true),
        (
            #"(name: "byRank")"#, #"(name: "byRank", sortKeyFields: ["title"], queryField: "notesByRank")"#,
            "Note.byRank: index changed from (rank) to (rank, title)", true
        ),
        (
            #"(name: "byRank")"#, #"(name: "byRank", queryField: "q")"#,
            "Note.byRank: name of the index's query changed", true
        ),
        ("type Note @model", "\"n\" type Note @model", "Note: description changed", true),
        ("type Note @model", "type Note @model @searchable", "Note: directives changed", true),
        ("rank: Int!", "rank: Int! @primaryKey", "Note: primary key changed from (id) to (rank)", false),
        ("type Tag", "type New @model { id: ID! }\ntype Tag", "New: model added", true),
        ("type Tag @model { id: ID! label: String }", "", "Tag: model removed", true),
        ("low high", "low high higher", "Level.higher: case added", true),
        ("low high", "low", "Level.high: case removed", true),
        ("low high", "high low", "Level: cases are in another order", true),
        ("name: String!", "name: String", "Place.name: optional now", true),
        ("name: String!", "name: String! more: Int", "Place.more: optional field added", true),
        ("type Spare { a: Int }", "", "Spare: type removed", true),
        ("{ a: Int }", "{ a: Int } type Extra { a: Int }", "Extra: type added", true),
        ("id: ID! label: String", "label: String id: ID!", "Tag: fields are in another order", true),
        ("enum Level", "enum Other { a } enum Level", "Other: enum added", true),
    ]

    @Test(arguments: changes)
    func `each change is described, together with whether it is lossless for a store with data`(
        _ old: String, _ new: String, _ text: String, _ isLossless: Bool
    ) throws {
        let before = try Schema(sdl: Self.base)
        let after = try Schema(sdl: Self.base.replacing(old, with: new, maxReplacements: 1))
        let difference = SchemaDifference(from: before, to: after)
        #expect(difference.changes.map(\.description) == text.split(separator: "|").map(String.init))
        #expect(difference.isLossless == isLossless)
        #expect(!difference.isEmpty)
    }

    static let renamings: [(String, String, [String])] = [
        ("type Tag", "type Label", ["Tag=Label"]),
        (
            "type Tag @model { id: ID! label: String }", "type Label @model { id: ID! label: String size: Int }",
            ["Tag=Label"]
        ),
        ("type Tag @model { id: ID! label: String }", "type Label @model { id: ID! label: Int }", []),
        ("type Tag @model { id: ID! label: String }", "type Label @model { id: ID! text: String }", []),
        ("title: String", "headline: String", ["Note.title=Note.headline"]),
        ("title: String", "headline: Int", []), ("email: AWSEmail", "address: String", []),
        ("email: AWSEmail", "", []), ("title: String", "title: String headline: String", []),
    ]

    @Test(arguments: renamings)
    func `something that goes and something with the same content that comes may be a renaming`(
        _ old: String, _ new: String, _ found: [String]
    ) throws {
        let difference = SchemaDifference(
            from: try Schema(sdl: Self.base), to: try Schema(sdl: Self.base.replacing(old, with: new)))
        #expect(difference.suspectedRenamings.map(\.description) == found)
        for renaming in difference.suspectedRenamings {
            #expect(renaming.migration.contains(renaming.newName) && renaming.migration.contains(renaming.model))
        }
    }

    @Test func `removing an embedded type together with the field that uses it is lossless`() throws {
        let before = try Schema(sdl: Self.base)
        let after = try Schema(
            sdl: Self.base.replacing("type Place { name: String! }", with: "").replacing("places: [Place!]", with: ""))
        let difference = SchemaDifference(from: before, to: after)
        #expect(difference.changes.map(\.description) == ["Note.places: field removed", "Place: type removed"])
        #expect(difference.isLossless)
    }

    @Test func `an added, changed or removed relation is described`() throws {
        let none = try Schema(sdl: "type A @model { bId: ID } type B @model { a: Int }")
        let some = try Schema(sdl: "type A @model { bId: ID b: B @hasOne(fields: [\"bId\"]) } type B @model { a: Int }")
        let other = try Schema(
            sdl: "type A @model { bId: ID b: B! @hasOne(fields: [\"bId\"]) } type B @model { a: Int }")
        let text = { (old: Schema, new: Schema) in SchemaDifference(from: old, to: new).changes.map(\.description) }
        #expect(text(none, some) == ["A.b: relation to B added"])
        #expect(text(some, other) == ["A.b: relation to B changed"])
        #expect(text(some, none) == ["A.b: relation removed"])
        #expect(SchemaDifference(from: some, to: none).isLossless)
    }

    @Test func `a model's status includes the changes of the types and enums that it uses`() throws {
        let before = try Schema(sdl: Self.base)
        func status(_ old: String, _ new: String, _ model: String = "Note") throws -> SchemaDifference.Status {
            let after = try Schema(sdl: Self.base.replacing(old, with: new, maxReplacements: 1))
            return SchemaDifference(from: before, to: after).status(ofModel: model)
        }
        #expect(try status("a: Int", "a: Int b: Int") == .noChange)
        #expect(try status("name: String!", "name: String! more: Int") == .update)
        #expect(try status("name: String!", "name: Int!") == .refused)
        #expect(try status("low high", "low high higher") == .update)
        #expect(try status("low high", "low") == .update)
        #expect(try status("low high", "low", "Tag") == .noChange)
        #expect(try status("type Tag", "type New @model { id: ID! }\ntype Tag", "New") == .create)
        #expect(try status("type Tag @model { id: ID! label: String }", "", "Tag") == .update)
        #expect(SchemaDifference.Status.noChange.rawValue == "No Change")
    }

    @Test func `the status of a store describes a removal, and not the order that only the removal changes`() throws {
        let base = Self.base.replacing("low high", with: "low medium high")
        func changes(_ part: String, _ model: String) throws -> [String]? {
            let status = try SchemaStatus(
                of: Schema(sdl: base), under: Schema(sdl: base.replacing(part, with: "", maxReplacements: 1)))
            #expect(!status.isRefused)
            return status.models.first { $0.name == model }?.changes.map(\.description)
        }
        #expect(try changes("medium ", "Note") == ["Level.medium: case removed"])
        #expect(try changes("email: AWSEmail", "Note") == ["Note.email: field removed"])
        #expect(try changes("type Tag @model { id: ID! label: String }", "Tag") == ["Tag: model removed"])
    }

    @Test func `the difference of two schemas is empty exactly if the schemas are equal`() throws {
        var generator = SeededGenerator(3)
        var schemas: [Schema] = []
        while schemas.count < 40 {
            if let schema = try? Schema(sdl: generator.document()) { schemas.append(schema) }
        }
        for (index, schema) in schemas.enumerated() {
            #expect(SchemaDifference(from: schema, to: schema).isEmpty)
            let other = schemas[(index + 1) % schemas.count]
            #expect(SchemaDifference(from: schema, to: other).isEmpty == (schema == other))
            for changed in variations(of: schema) {
                #expect(SchemaDifference(from: schema, to: changed).isEmpty == (schema == changed))
            }
        }
    }

    private func variations(of schema: Schema) -> [Schema] {
        let edits: [(inout Schema) -> Void] = [
            { $0.models.reverse() }, { $0.enums.reverse() }, { $0.embeddedTypes.reverse() },
            { $0.models[0].fields.reverse() }, { $0.models[0].indexes.reverse() },
            { $0.models[0].associations.reverse() }, { $0.models[0].directives.append("@x") },
            { $0.models[0].primaryKey.reverse() }, { $0.models[0].fields[0].isReadOnly.toggle() },
            { $0.models[0].fields[0].scalar = "AWSPhone" }, { $0.enums[0].documentation = "new" },
            { $0.embeddedTypes[0].documentation = "new" }, { $0.embeddedTypes[0].fields.reverse() },
            { if !$0.models[0].associations.isEmpty { $0.models[0].associations[0].limit = 99 } },
        ]
        return edits.map { edit in
            var changed = schema
            edit(&changed)
            return changed
        }
    }
}

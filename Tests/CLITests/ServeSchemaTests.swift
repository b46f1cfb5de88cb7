import Foundation
import Testing
import TidelogJSON

@Suite("tidelog serve with a schema that removes parts of the stored schema", .timeLimit(.minutes(5)))
struct ServeSchemaTests {
    private static let schema = """
        enum Level { low mid high }
        enum Hue { red green }
        type Place { name: String! code: Int! hue: Hue hues: [Hue] }
        type Note @model @auth(rules: [{allow: public}]) {
          id: ID!
          title: String!
          level: Level
          levels: [Level]
          place: Place
          places: [Place!]
          rank: Int! @default(value: "1")
          remark: String
        }
        type Tag @model @auth(rules: [{allow: public}]) { id: ID! level: Level label: String! }
        type Mark @model @auth(rules: [{allow: public}]) { id: ID! text: String }

        """

    /// A store that was served once, and that has the records that `mutations` made.
    private static func shop(_ mutations: [String]) async throws -> Shop {
        let shop = try Shop()
        try shop.write(schema, to: "first.graphql")
        let server = try ServerProcess(shop.file("first.graphql"), store: shop.store)
        for mutation in mutations {
            let answer = try await server.ask("mutation { \(mutation) { id _version } }")
            try #require(answer["errors"] == nil, "\(answer)")
        }
        #expect(try server.stop() == 0)
        return shop
    }

    /// Writes the schema without `part`. Returns the path of the file.
    private static func change(_ part: String, _ shop: Shop) throws -> String {
        let changed = schema.replacing(part, with: "")
        try #require(changed != schema)
        try shop.write(changed, to: "changed.graphql")
        return shop.file("changed.graphql")
    }

    private static func statuses(_ schema: String, _ shop: Shop) throws -> [String: JSONValue] {
        let outcome = try Tool.run("schema", "status", schema, "--store", shop.store, "--json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        var found: [String: JSONValue] = [:]
        for line in try outcome.objects() { found[line["model"]?.text ?? ""] = line }
        return found
    }

    struct Removal: CustomTestStringConvertible {
        let part: String
        let mutations: [String]
        let model: String
        let message: String
        var testDescription: String { message }
    }

    static let used: [Removal] = [
        Removal(
            part: "mid ",
            mutations: [
                #"createNote(input: {id: "a", title: "a", level: mid, levels: [mid, low, mid]})"#,
                #"createNote(input: {id: "b", title: "b", levels: [high, mid]})"#,
                #"createNote(input: {id: "c", title: "c", level: low})"#,
                #"createTag(input: {id: "t", level: mid, label: "l"})"#,
            ],
            model: "Note", message: "Level.mid: case removed, but 2 records of Note and 1 record of Tag use it"),
        Removal(
            part: "green",
            mutations: [
                #"createNote(input: {id: "a", title: "a", place: {name: "p", code: 1, hue: green}})"#,
                #"createNote(input: {id: "b", title: "b", places: [{name: "p", code: 1, hues: [red, green]}]})"#,
                #"createNote(input: {id: "c", title: "c", place: {name: "p", code: 1, hue: red}})"#,
            ],
            model: "Note", message: "Hue.green: case removed, but 2 records of Note use it"),
        Removal(
            part: "type Mark @model @auth(rules: [{allow: public}]) { id: ID! text: String }",
            mutations: [#"createMark(input: {id: "a"})"#, #"createMark(input: {id: "b"})"#],
            model: "Mark", message: "Mark: model removed, but 2 records of Mark use it"),
        Removal(
            part: "title: String!", mutations: [#"createNote(input: {id: "a", title: "a"})"#],
            model: "Note", message: "Note.title: required field removed, but 1 record of Note uses it"),
        Removal(
            part: #"rank: Int! @default(value: "1")"#, mutations: [#"createNote(input: {id: "a", title: "a"})"#],
            model: "Note", message: "Note.rank: required field removed, but 1 record of Note uses it"),
        Removal(
            part: "code: Int!",
            mutations: [
                #"createNote(input: {id: "a", title: "a", places: [{name: "p", code: 1}]})"#,
                #"createNote(input: {id: "b", title: "b"})"#,
            ],
            model: "Note", message: "Place.code: required field removed, but 1 record of Note uses it"),
    ]

    @Test(
        "serve refuses to remove a case, model or required field that records use, and changes nothing",
        arguments: used)
    func refused(removal: Removal) async throws {
        let shop = try await Self.shop(removal.mutations)
        let changed = try Self.change(removal.part, shop)
        let before = try Tool.run("stats", "--store", shop.store, "--json").output
        let refused = try Tool.run("serve", changed, "--store", shop.store, "--port", "0", "--json")
        #expect(refused.status == 1)
        #expect(refused.lines.isEmpty)
        #expect(try refused.error()["code"]?.text == "invalidSchema")
        #expect(try refused.error()["message"]?.text?.contains(removal.message) == true, "\(refused.errors)")
        #expect(try Tool.run("stats", "--store", shop.store, "--json").output == before)

        let status = try Self.statuses(changed, shop)
        #expect(status.keys.sorted() == ["Mark", "Note", "Tag"])
        #expect(status[removal.model]?["status"]?.text == "Refused")
        #expect(status[removal.model]?["changes"]?.elements.map(\.text) == [removal.message])

        // A server still accepts the old schema.
        let again = try ServerProcess(shop.file("first.graphql"), store: shop.store)
        #expect(again.ready["schemaChanges"] == nil)
        #expect(try again.stop() == 0)
    }

    static let unused: [Removal] = [
        Removal(
            part: "mid ",
            mutations: [#"createNote(input: {id: "a", title: "mid", level: low, levels: [high]})"#],
            model: "Note", message: "Level.mid: case removed"),
        Removal(
            part: "green", mutations: [#"createNote(input: {id: "a", title: "a", place: {name: "p", code: 1}})"#],
            model: "Note", message: "Hue.green: case removed"),
        Removal(
            part: "type Mark @model @auth(rules: [{allow: public}]) { id: ID! text: String }",
            mutations: [#"createMark(input: {id: "a"})"#, #"deleteMark(input: {id: "a", _version: 1})"#],
            model: "Mark", message: "Mark: model removed"),
        Removal(
            part: "label: String!", mutations: [#"createNote(input: {id: "a", title: "a"})"#],
            model: "Tag", message: "Tag.label: required field removed"),
        Removal(
            part: #"rank: Int! @default(value: "1")"#, mutations: [#"createTag(input: {id: "t", label: "l"})"#],
            model: "Note", message: "Note.rank: required field removed"),
        Removal(
            part: "code: Int!", mutations: [#"createNote(input: {id: "a", title: "a"})"#],
            model: "Note", message: "Place.code: required field removed"),
        Removal(
            part: "remark: String", mutations: [#"createNote(input: {id: "a", title: "a", remark: "r"})"#],
            model: "Note", message: "Note.remark: field removed"),
    ]

    @Test(
        "serve removes parts of the schema that no record uses, and only the first start reports the removal",
        arguments: unused)
    func taken(removal: Removal) async throws {
        let shop = try await Self.shop(removal.mutations)
        let changed = try Self.change(removal.part, shop)
        let status = try Self.statuses(changed, shop)
        #expect(status[removal.model]?["status"]?.text == "Update")
        #expect(status[removal.model]?["changes"]?.elements.map(\.text) == [removal.message])

        let server = try ServerProcess(changed, store: shop.store)
        #expect(server.ready["schemaChanges"]?.elements.map(\.text) == [removal.message])
        // Clients create and read records without the removed part.
        let created = try await server.ask(#"mutation { createTag(input: {id: "new"\#(label(changed))}) { id } }"#)
        #expect(created["errors"] == nil, "\(created)")
        let note = try await server.ask(#"mutation { createNote(input: {id: "new", title: "n"}) { id level } }"#)
        #expect(note["errors"] == nil, "\(note)")
        for list in ["listNotes", "syncNotes", "listTags"] {
            let found = try await server.ask("{ \(list) { items { id level } } }")
            #expect(found["errors"] == nil, "\(found)")
        }
        #expect(try server.stop() == 0)

        let again = try ServerProcess(changed, store: shop.store)
        #expect(again.ready["schemaChanges"] == nil)
        #expect(try again.stop() == 0)
    }

    private func label(_ schema: String) throws -> String {
        try String(contentsOfFile: schema, encoding: .utf8).contains("label: String!") ? #", label: "l""# : ""
    }

    @Test("a case cannot be removed if only a deleted record that syncs still return uses the case")
    func tombstones() async throws {
        let shop = try await Self.shop([
            #"createNote(input: {id: "a", title: "a", level: mid})"#, #"deleteNote(input: {id: "a", _version: 1})"#,
        ])
        let changed = try Self.change("mid ", shop)
        let refused = try Tool.run("serve", changed, "--store", shop.store, "--port", "0", "--json")
        #expect(refused.status == 1)
        #expect(try refused.error()["message"]?.text?.contains("1 record of Note uses it") == true)
    }

    @Test("schema diff lists the parts that a served store would lose, and no parts that the server adds")
    func difference() async throws {
        let shop = try await Self.shop([])
        let same = try Tool.run("schema", "diff", shop.store, shop.file("first.graphql"), "--json")
        #expect(same.status == 0)
        #expect(same.lines.isEmpty)
        try shop.write(
            Self.schema.replacing("mid ", with: "").replacing("remark: String", with: "").split(separator: "\n")
                .filter { !$0.hasPrefix("type Mark") }.joined(separator: "\n"), to: "changed.graphql")
        let expected = ["Note.remark: field removed", "Mark: model removed", "Level.mid: case removed"]
        for old in [shop.store, shop.file("first.graphql")] {
            let diff = try Tool.run("schema", "diff", old, shop.file("changed.graphql"))
            #expect(diff.status == 1)
            #expect(diff.lines == expected.map { "✓ \($0)" })
            #expect(diff.errors.contains("a server refuses to remove a model or a value that its records use"))
        }
    }
}

import Foundation
import Testing
import TidelogJSON

@Suite("Renamed models and fields on the command line", .timeLimit(.minutes(5)))
struct RenameTests {
    private static let before = """
        type Hiker @model @auth(rules: [{allow: public}]) { id: ID! name: String age: Int tours: [Tour] @hasMany }
        type Tour @model @auth(rules: [{allow: public}]) { id: ID! title: String }

        """
    private static let after = before.replacing("Hiker", with: "Walker")
    private static let field = before.replacing("name: String", with: "fullName: String")

    private static func shop(_ adapter: String = "lmdb") throws -> Shop {
        let shop = try Shop()
        try shop.write(before, to: "before.graphql")
        try shop.write(after, to: "after.graphql")
        try shop.write(field, to: "field.graphql")
        let made = try Tool.run(
            "init", "--store", shop.store, "--schema", shop.file("before.graphql"), "--adapter", adapter)
        #expect(made.status == 0, "\(made.errors)")
        for (model, json) in [
            ("Hiker", #"{"id":"1","name":"Ann","age":30}"#), ("Hiker", #"{"id":"2","name":"Ben"}"#),
            ("Tour", #"{"id":"t","title":"Alps","hikerToursId":"1"}"#),
        ] {
            let saved = try Tool.run("save", "--store", shop.store, model, json)
            #expect(saved.status == 0, "\(saved.errors)")
        }
        return shop
    }

    private static func query(_ shop: Shop, _ words: String...) throws -> [String] {
        let outcome = try Tool.run(["query", "--store", shop.store, "--json"] + words)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome.lines
    }

    private static func stats(_ shop: Shop) throws -> String {
        try Tool.run("stats", "--store", shop.store, "--json").output
    }

    @Test("schema diff and schema status ask about a renaming and show the migration")
    func questions() throws {
        let shop = try Self.shop()
        for words in [
            ["schema", "diff", shop.file("before.graphql"), shop.file("after.graphql")],
            ["schema", "diff", shop.store, shop.file("after.graphql")],
            ["schema", "status", shop.file("after.graphql"), "--store", shop.store],
        ] {
            let errors = try Tool.run(words).errors
            #expect(errors.contains("Was Hiker renamed to Walker?"), "\(errors)")
            #expect(errors.contains(#".rename(model: "Hiker", to: "Walker")"#))
            #expect(errors.contains("tidelog migrate --store DIR --rename Hiker=Walker"))
            #expect(errors.contains(#".rename(field: "hikerToursId", of: "Tour", to: "walkerToursId")"#))
        }
        let diff = try Tool.run("schema", "diff", shop.store, shop.file("field.graphql"), "--json")
        let removal = try diff.objects().first { $0["change"]?.text == "field removed" }
        #expect(removal?["renamedTo"]?.text == "fullName")
        let status = try Tool.run("schema", "status", shop.file("field.graphql"), "--store", shop.store, "--json")
        let hiker = try status.objects().first { $0["model"]?.text == "Hiker" }
        #expect(hiker?["suspectedRenamings"]?.elements.map(\.text) == ["Hiker.name=Hiker.fullName"])
    }

    @Test(
        "migrate renames a model with its records and relations, and a second run changes nothing",
        arguments: ["lmdb", "sqlite"])
    func models(adapter: String) throws {
        let shop = try Self.shop(adapter)
        let words = [
            "migrate", "--store", shop.store, "--rename", "Hiker=Walker", "--rename",
            "Tour.hikerToursId=Tour.walkerToursId", "--json",
        ]
        let first = try Tool.run(words)
        #expect(first.status == 0, "\(first.errors)")
        #expect(
            try first.object()["renamed"]?.elements.map(\.text) == [
                "Hiker=Walker", "Tour.hikerToursId=Tour.walkerToursId",
            ])
        #expect(
            try Self.query(shop, "Walker", "--fields", "id,name,age")
                == [#"{"id":"1","name":"Ann","age":30}"#, #"{"id":"2","name":"Ben"}"#])
        #expect(try Self.query(shop, "Tour", "walkerToursId == \"1\"", "--count").first?.contains("1") == true)
        #expect(try Tool.run("query", "--store", shop.store, "Hiker").status == 2)
        let before = try Self.stats(shop)
        let again = try Tool.run(words)
        #expect(again.status == 0)
        #expect(try again.object()["renamed"]?.elements.isEmpty == true)
        #expect(try again.object()["renamedBefore"]?.elements.count == 2)
        #expect(try Self.stats(shop) == before)
        // The new schema has nothing more to change, and no question is asked.
        let diff = try Tool.run("schema", "diff", shop.store, shop.file("after.graphql"))
        #expect(!diff.errors.contains("Was "), "\(diff.output)\(diff.errors)")
        #expect(try Tool.run("verify", "--store", shop.store).status == 0)
        #expect(try Tool.run("rebuild", "--store", shop.store).status == 0)
        #expect(try Self.query(shop, "Walker").count == 2)
        // A renaming can be undone and done again.
        for rename in ["Walker=Hiker", "Hiker=Walker"] {
            let outcome = try Tool.run("migrate", "--store", shop.store, "--rename", rename, "--json")
            #expect(try outcome.object()["renamed"]?.elements.map(\.text) == [rename], "\(outcome.errors)")
        }
        #expect(try Self.query(shop, "Walker").count == 2)
    }

    @Test("migrate renames a field, together with the new schema", arguments: ["lmdb", "sqlite"])
    func fields(adapter: String) throws {
        let shop = try Self.shop(adapter)
        let outcome = try Tool.run(
            "migrate", "--store", shop.store, "--rename", "Hiker.name=Hiker.fullName", "--schema",
            shop.file("field.graphql"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("Renamed: Hiker.name=Hiker.fullName"))
        #expect(
            try Self.query(shop, "Hiker", "fullName == \"Ann\"", "--fields", "id,fullName") == [
                #"{"id":"1","fullName":"Ann"}"#
            ])
        #expect(try Tool.run("schema", "diff", shop.store, shop.file("field.graphql")).status == 0)
    }

    @Test(
        "a renamed model or field whose new schema was taken over before can still be renamed while it has no data",
        arguments: ["lmdb", "sqlite"])
    func late(adapter: String) throws {
        let shop = try Self.shop(adapter)
        try shop.write(Self.after.replacing("name: String", with: "fullName: String"), to: "both.graphql")
        try shop.write("", to: "empty")
        let taken = try Tool.run(
            "import", "--store", shop.store, "Walker", shop.file("empty"), "--schema", shop.file("both.graphql"))
        #expect(taken.status == 0, "\(taken.errors)")
        try shop.write(Self.before.replacing("name: String", with: "fullName: String"), to: "mixed.graphql")
        #expect(
            try Tool.run(
                "import", "--store", shop.store, "Tour", shop.file("empty"), "--schema", shop.file("mixed.graphql")
            ).status == 0)
        #expect(try Self.query(shop, "Walker").isEmpty)
        // A deleted record does not count.
        #expect(try Tool.run("save", "--store", shop.store, "Walker", #"{"id":"x"}"#).status == 0)
        #expect(try Tool.run("delete", "--store", shop.store, "Walker", "x").status == 0)
        let renamed = try Tool.run(
            "migrate", "--store", shop.store, "--rename", "Hiker=Walker", "--rename", "Walker.name=Walker.fullName",
            "--rename", "Tour.hikerToursId=Tour.walkerToursId", "--schema", shop.file("both.graphql"))
        #expect(renamed.status == 0, "\(renamed.errors)")
        #expect(
            try Self.query(shop, "Walker", "--fields", "id,fullName")
                == [#"{"id":"1","fullName":"Ann"}"#, #"{"id":"2","fullName":"Ben"}"#])
        #expect(try Tool.run("save", "--store", shop.store, "Walker", #"{"id":"3","fullName":"Cid"}"#).status == 0)
        for words in [["verify"], ["rebuild"], ["compact", "--shrink"], ["verify"]] {
            let outcome = try Tool.run(words + ["--store", shop.store])
            #expect(outcome.status == 0, "\(words): \(outcome.output)\(outcome.errors)")
        }
        #expect(try Self.query(shop, "Walker").count == 3)
    }

    static let flaws: [([String], Int32, String)] = [
        (["Hikker=Walker"], 2, "The store has no model Hikker."),
        (["Hiker.nam=Hiker.x"], 2, "The model Hiker has no field nam."),
        (["Tour=Hiker"], 1, "The store has both models, Tour and Hiker, and 2 records of Hiker"),
        (["Hiker=Tour"], 1, "The store has both models, Hiker and Tour, and 1 record of Tour"),
        (["Hiker.name=Hiker.age"], 1, "Hiker has both fields, name and age, and 1 record with age"),
        (["Walker=Hiker"], 2, "The store has no model Walker, and has a model Hiker already."),
        (["Hiker"], 2, "--rename takes Hiker=Walker"), (["Hiker=Walker.name"], 2, "--rename takes"),
        (["Hiker.name=Walker.name"], 2, "names two models"), (["Hiker=a b"], 2, "the name of a type"),
        (["Hiker=Walker", "Hikker.name=Hikker.fullName"], 2, "The store has no model Hikker."),
    ]

    @Test("a renaming that cannot be done is refused by name and changes nothing", arguments: flaws)
    func refused(_ renamings: [String], _ status: Int32, _ message: String) throws {
        let shop = try Self.shop()
        let before = try Self.stats(shop)
        let words = renamings.flatMap { ["--rename", $0] }
        let outcome = try Tool.run(["migrate", "--store", shop.store] + words)
        #expect(outcome.status == status, "\(outcome.errors)")
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
        #expect(try Self.stats(shop) == before)
    }

    @Test("migrate refuses a schema that lacks a new name, and one that loses data, and changes nothing")
    func refusedSchemas() throws {
        let shop = try Self.shop()
        let before = try Self.stats(shop)
        try shop.write(Self.after.replacing("age: Int", with: "age: String"), to: "lossy.graphql")
        for (schema, message) in [
            ("before.graphql", "The schema has no model Walker, which --rename names."),
            ("lossy.graphql", "Walker.age: type changed from Int to String"),
        ] {
            let outcome = try Tool.run(
                "migrate", "--store", shop.store, "--rename", "Hiker=Walker", "--schema", shop.file(schema))
            #expect(outcome.status == 2, "\(outcome.errors)")
            #expect(outcome.errors.contains(message), "\(outcome.errors)")
            #expect(try Self.stats(shop) == before)
        }
    }

    @Test("a server asks about a renaming, and with --rename it serves the records under the new name")
    func served() async throws {
        let shop = try Shop()
        try shop.write(Self.before, to: "before.graphql")
        try shop.write(Self.after, to: "renamed.graphql")
        try shop.write(
            Self.after.replacing("name: String", with: "fullName: String @validate(type: minLength, value: \"3\")"),
            to: "after.graphql")
        var server = try ServerProcess(shop.file("before.graphql"), store: shop.store)
        for mutation in [
            #"createHiker(input: {id: "1", name: "Ann"})"#, #"createHiker(input: {id: "2", name: "Al"})"#,
            #"createTour(input: {id: "t", hikerToursId: "1"})"#,
        ] {
            let answer = try await server.ask("mutation { \(mutation) { id } }")
            #expect(answer["errors"] == nil, "\(answer)")
        }
        #expect(try server.stop() == 0)
        let before = try Self.stats(shop)
        let refused = try Tool.run("serve", shop.file("renamed.graphql"), "--store", shop.store, "--port", "0")
        #expect(refused.status == 1)
        #expect(refused.errors.contains("Hiker: model removed, but 2 records of Hiker use it"))
        #expect(
            refused.errors.contains("Was Hiker renamed to Walker? Then start with --rename Hiker=Walker."),
            "\(refused.errors)")
        #expect(try Self.stats(shop) == before)

        let renamings = [
            "--rename", "Hiker=Walker", "--rename", "Walker.name=Walker.fullName", "--rename",
            "Tour.hikerToursId=Tour.walkerToursId",
        ]
        for isFirst in [true, false] {
            server = try ServerProcess(shop.file("after.graphql"), store: shop.store, renamings)
            #expect(server.ready["renamed"]?.elements.count == (isFirst ? 3 : nil), "\(server.ready)")
            let changes = server.ready["schemaChanges"]?.elements.compactMap(\.text) ?? []
            #expect(changes.isEmpty == !isFirst, "\(changes)")
            #expect(!changes.contains { $0.contains("model") || $0.contains("field") }, "\(changes)")
            #expect(server.ready["suspectedRenamings"] == nil)
            let found = try await server.ask(
                "{ listWalkers { items { id fullName _version tours { items { id } } } } }")
            #expect(found["errors"] == nil, "\(found)")
            #expect("\(found)".contains("Ann") && "\(found)".contains("Al"), "\(found)")
            let synced = try await server.ask("{ syncWalkers { items { id } } }")
            #expect(synced["errors"] == nil, "\(synced)")
            let short = try await server.ask(
                #"mutation { updateWalker(input: {id: "1", fullName: "A", _version: 1}) { id } }"#)
            #expect(short["errors"]?.elements.first?["message"]?.text == "fullName must have at least 3 characters.")
            #expect(try server.stop() == 0)
        }
    }
}

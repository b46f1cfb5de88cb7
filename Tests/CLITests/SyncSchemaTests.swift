import FaultHarness
import Foundation
import Testing
import TidelogJSON

@Suite("tidelog sync with another schema than the server's", .timeLimit(.minutes(5)))
struct SyncSchemaTests {
    private static let old = """
        enum Level { low high }
        type Note @model @auth(rules: [{ allow: public }]) { id: ID! title: String! level: Level levels: [Level] }
        type Tag @model @auth(rules: [{ allow: public }]) { id: ID! label: String! }

        """
    private static let new =
        old.replacing("low high", with: "low high urgent")
        .replacing("levels: [Level]", with: "levels: [Level] remark: String")
        + "type Mark @model @auth(rules: [{ allow: public }]) { id: ID! text: String }\n"

    /// A server, and devices that have either the old or the new schema.
    private struct World {
        let directory: TemporaryDirectory
        let fleet: Fleet
        let old: String
        let new: String

        init(served: KeyPath<World, String>) throws {
            directory = try TemporaryDirectory("schemas")
            (old, new) = (directory.file("old.graphql").path, directory.file("new.graphql").path)
            try Data(SyncSchemaTests.old.utf8).write(to: directory.file("old.graphql"))
            try Data(SyncSchemaTests.new.utf8).write(to: directory.file("new.graphql"))
            fleet = try Fleet(served == \World.old ? old : new)
        }

        func sync(_ device: String, _ schema: String, _ arguments: [String] = []) throws -> Outcome {
            try Tool.run(fleet.syncArguments(device, arguments, schema: schema))
        }

        /// Syncs a device and expects success. Returns the report of the sync.
        func synced(_ device: String, _ schema: String, _ arguments: [String] = []) throws -> JSONValue {
            let outcome = try sync(device, schema, arguments)
            #expect(outcome.status == 0, "\(outcome.errors)")
            return try outcome.object()
        }

        func patch(_ device: String, _ model: String, _ record: String) throws {
            _ = try fleet.run(device, "save", "--patch", model, record)
        }

        func note(_ device: String, _ id: String) throws -> JSONValue {
            try fleet.run(device, "get", "Note", id, "--json").object()
        }

        /// Checks that both devices have the same records, and that the server has them too.
        func expectEqual(_ device: String, _ other: String) throws {
            for model in ["Note", "Tag", "Mark"] {
                #expect(try fleet.export(device, model) == fleet.export(other, model))
            }
            #expect(try synced(device, new, ["--verify"])["verification"]?["differences"]?.number == 0)
        }
    }

    @Test(
        "a device with an older schema syncs the fields and models that it knows, and changes no other field or model")
    func olderDevice() throws {
        let world = try World(served: \.new)
        let fleet = world.fleet
        let fill = #"{"id":"1","title":"a","level":"urgent","levels":["low","urgent"],"remark":"kept"}"#
        _ = try world.synced("new", world.new)
        _ = try fleet.run("new", "save", "Note", fill)
        _ = try fleet.run("new", "save", "Note", #"{"id":"2","title":"a","level":"low","remark":"kept too"}"#)
        _ = try fleet.run("new", "save", "Note", #"{"id":"3","title":"a","remark":"goes"}"#)
        _ = try fleet.run("new", "save", "Tag", #"{"id":"1","label":"a"}"#)
        _ = try fleet.run("new", "save", "Mark", #"{"id":"1","text":"a"}"#)
        _ = try world.synced("new", world.new)

        let first = try world.synced("old", world.old)
        #expect(first["received"]?.number == 4)
        #expect(try world.note("old", "1")["level"]?.text == "urgent")
        try world.patch("old", "Note", #"{"id":"1","title":"b"}"#)
        try world.patch("old", "Note", #"{"id":"2","level":"high"}"#)
        _ = try fleet.run("old", "delete", "Note", "3")
        _ = try fleet.run("old", "save", "Note", #"{"id":"4","title":"a"}"#)
        _ = try fleet.run("old", "save", "Tag", #"{"id":"2","label":"b"}"#)
        let second = try world.synced("old", world.old, ["--verify"])
        #expect(second["sent"]?.number == 5 && second["verification"]?["differences"]?.number == 0)

        _ = try world.synced("new", world.new)
        let changed = try world.note("new", "1")
        #expect(changed["title"]?.text == "b" && changed["remark"]?.text == "kept")
        #expect(changed["level"]?.text == "urgent")
        #expect(changed["levels"]?.elements.map(\.text) == ["low", "urgent"])
        let other = try world.note("new", "2")
        #expect(other["level"]?.text == "high" && other["remark"]?.text == "kept too")
        #expect(try fleet.export("new", "Note").split(separator: "\n").count == 3)
        #expect(try fleet.export("new", "Tag").split(separator: "\n").count == 2)
        #expect(try fleet.export("new", "Mark").contains(#""text":"a""#))

        // The older device gets the new schema. It then requests all records of each model that has new fields.
        let updated = try world.synced("old", world.new)
        #expect(updated["queries"]?["Note"]?.text == "base" && updated["queries"]?["Tag"]?.text == "delta")
        #expect(updated["received"]?.number == 3)
        try world.expectEqual("old", "new")
    }

    @Test(
        "a device with a newer schema syncs the models that the server knows, and the new models after the server's update"
    )
    func newerDevice() throws {
        let world = try World(served: \.old)
        let fleet = world.fleet
        _ = try world.synced("old", world.old)
        for id in ["1", "2", "3"] {
            _ = try fleet.run("old", "save", "Note", #"{"id":"\#(id)","title":"a"}"#)
        }
        _ = try world.synced("old", world.old)
        _ = try world.synced("new", world.old)

        // The app is updated before the server. Its first sync tells the store about the new schema.
        let first = try world.sync("new", world.new)
        #expect(first.status == 1)
        #expect(try first.error()["code"]?.text == "modelRefused")
        #expect(try first.error()["message"]?.text == "The server refuses Mark, Note.")
        try world.patch("new", "Note", #"{"id":"1","remark":"mine","level":"urgent"}"#)
        try world.patch("new", "Note", #"{"id":"2","title":"b"}"#)
        _ = try fleet.run("new", "delete", "Note", "3")
        _ = try fleet.run("new", "save", "Note", #"{"id":"4","title":"a","remark":"new"}"#)
        _ = try fleet.run("new", "save", "Tag", #"{"id":"1","label":"a"}"#)
        _ = try fleet.run("new", "save", "Mark", #"{"id":"1","text":"a"}"#)
        let notes = try fleet.export("new", "Note")
        for round in 0..<2 {
            let outcome = try world.sync("new", world.new)
            #expect(outcome.status == 5)
            #expect(try outcome.object()["sent"]?.number == (round == 0 ? 1 : 0))
            #expect(try outcome.object()["setAside"]?.number == 5)
            let problems = try #require(try outcome.object()["problems"]?.elements.compactMap(\.text))
            #expect(problems.contains { $0.hasPrefix("Note: ") && $0.contains("remark") }, "\(problems)")
            #expect(problems.contains { $0.hasPrefix("Mark: ") }, "\(problems)")
            #expect(!problems.contains { $0.hasPrefix("Tag: ") }, "\(problems)")
        }
        let entries = try fleet.outbox("new")
        #expect(entries.count == 5 && entries.allSatisfy { $0["state"]?.text == "setAside" })
        for entry in entries {
            let name = entry["model"]?.text == "Mark" ? "Mark" : "remark"
            #expect(entry["reason"]?.text?.contains(name) == true, "\(entry)")
        }
        #expect(try fleet.export("new", "Note") == notes)
        // If a change of a record was set aside, a later change of that record joins it.
        try world.patch("new", "Note", #"{"id":"4","title":"later"}"#)
        #expect(try world.sync("new", world.new).status == 5)

        // The other device receives the fields that the server knows, and continues to sync.
        try world.patch("old", "Note", #"{"id":"2","level":"high"}"#)
        #expect(try world.synced("old", world.old)["received"]?.number == 1)
        #expect(try fleet.export("old", "Tag").contains(#""label":"a""#))

        try fleet.stopServer()
        try fleet.startServer(world.new)
        let waiting = try world.sync("new", world.new)
        #expect(waiting.status == 5)
        #expect(try waiting.object()["problems"]?.elements.isEmpty == true)
        let retried = try fleet.run("new", "outbox", "retry", "--all", "--json")
        #expect(try retried.object()["retried"]?.number == 5)
        let drained = try world.synced("new", world.new)
        #expect(drained["sent"]?.number == 5 && drained["pending"]?.number == 0 && drained["setAside"]?.number == 0)
        #expect(try fleet.outbox("new").isEmpty)

        _ = try world.synced("old", world.new)
        let changed = try world.note("old", "1")
        #expect(changed["remark"]?.text == "mine" && changed["level"]?.text == "urgent")
        // Both devices changed this note, in different fields.
        let both = try world.note("old", "2")
        #expect(both["title"]?.text == "b" && both["level"]?.text == "high")
        #expect(try world.note("old", "4")["title"]?.text == "later")
        #expect(try fleet.export("old", "Note").split(separator: "\n").count == 3)
        try world.expectEqual("new", "old")
    }
}

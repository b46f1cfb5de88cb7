import FaultHarness
import Foundation
import ServerSupport
import Testing
import Tidelog
import TidelogSDL
import TidelogServer
import TidelogSync

@Suite("An app and a server with different schemas", .timeLimit(.minutes(5)))
struct SchemaChangeTests {
    private static let newSDL = """
        type Post @model {
          id: ID! title: String rating: Int tags: [String] subtitle: String
        }
        """

    private static func subtitle(_ store: DataStore, _ id: String) async throws -> FieldValue? {
        try await store.record("Post", id: RecordID(id))?["subtitle"]
    }

    @Test("an app that adds a field receives its values also for records that did not change since the last sync")
    func newField() async throws {
        try await RunningServer.serve(Self.newSDL, Authenticator(apiKey: Device.key)) { port in
            let other = try await Device(port, sdl: Self.newSDL)
            try await other.save("1", ["title": "a", "subtitle": "b"])
            try await other.save("2", ["title": "a"])
            try await other.sync()

            let directory = try TemporaryDirectory("upgrade")
            let (oldSchema, newSchema) = try (
                SchemaDocument(sdl: Array(Device.sdl.utf8)).schema, SchemaDocument(sdl: Array(Self.newSDL.utf8)).schema
            )
            let old = try await DataStore.open(at: directory.file("store"), schema: oldSchema, adapter: .lmdb())
            #expect(try await Device(old, port).sync().received == 2)
            try await old.close()

            let store = try await DataStore.open(at: directory.file("store"), schema: newSchema, adapter: .lmdb())
            let device = Device(store, port)
            try await device.save("2", ["rating": 7])
            #expect(try await Self.subtitle(store, "1") == nil)
            let first = try await device.sync()
            #expect(first.queries["Post"] == .base && first.received == 1 && first.sent == 1)
            #expect(try await Self.subtitle(store, "1") == "b")
            #expect(try await device.engine().verify().isEqual)

            // The fields have not changed since the last sync.
            let second = try await device.sync()
            #expect(second.queries["Post"] == .delta && second.received == 0)
            let configuration = SyncConfiguration(syncInterval: .zero)
            let third = await (try device.engine(configuration)).runOnce()
            #expect(third.queries["Post"] == .base && third.received == 0)
            try await store.close()
        }
    }

    @Test("a new field is received for records with pending or set-aside changes, and discarding a change shows it")
    func newFieldBelowChanges() async throws {
        let rule = "@auth(rules: [{ allow: public, operations: [create, read] }])"
        let oldSDL = Device.sdl.replacing("@model", with: "@model \(rule)")
        let newSDL = Self.newSDL.replacing("@model", with: "@model \(rule)")
        try await RunningServer.serve(newSDL, Authenticator(apiKey: Device.key)) { port in
            let other = try await Device(port, sdl: newSDL)
            for id in ["refused", "waiting"] { try await other.save(id, ["title": "a", "subtitle": "b"]) }
            try await other.sync()

            let directory = try TemporaryDirectory("upgrade")
            let (oldSchema, newSchema) = try (
                SchemaDocument(sdl: Array(oldSDL.utf8)).schema, SchemaDocument(sdl: Array(newSDL.utf8)).schema
            )
            let old = try await DataStore.open(at: directory.file("store"), schema: oldSchema, adapter: .lmdb())
            try await Device(old, port).sync()
            try await Device(old, port).save("refused", ["title": "mine"])
            try await Device(old, port).sync(setAside: 1)
            try await Device(old, port).save("waiting", ["title": "mine"])
            try await old.close()

            let store = try await DataStore.open(at: directory.file("store"), schema: newSchema, adapter: .lmdb())
            let device = Device(store, port)
            let first = try await device.sync(setAside: 2)
            #expect(first.queries["Post"] == .base && first.received == 2)
            let configuration = SyncConfiguration(syncInterval: .zero)
            let second = await (try device.engine(configuration)).runOnce()
            #expect(second.queries["Post"] == .base && second.received == 0)
            for id in ["refused", "waiting"] { #expect(try await device.post(id) == "mine - ") }

            let outbox = try SyncOutbox(store)
            for entry in try await outbox.entries() { try await outbox.discard(entry.sequence) }
            for id in ["refused", "waiting"] {
                #expect(try await device.post(id) == "a - ")
                #expect(try await Self.subtitle(store, id) == "b")
            }
            #expect(try await device.engine().verify().isEqual)
            try await store.close()
        }
    }

    @Test("a declared field that the server lacks is reported with the name of its model, and the app's data stays")
    func missingField() async throws {
        try await Device.serve { port in
            let device = try await Device(port, sdl: Self.newSDL)
            try await device.save("1", ["title": "a", "subtitle": "b"])
            let engine = try device.engine()
            let events = engine.events
            let report = await engine.runOnce()
            #expect(report.failure == nil && report.setAside == 1 && report.sent == 0)
            #expect(report.refused == ["Post"] && report.queries.isEmpty)
            #expect(report.problems.allSatisfy { $0.hasPrefix("Post: ") && !$0.contains(": :") })
            var errors: [SyncError] = []
            for await event in events {
                if case .failed(let error) = event { errors.append(error) }
                if case .stopped = event { break }
            }
            #expect(Set(errors.map(\.code)) == [.modelRefused, .changeRefused])
            #expect(errors.allSatisfy { $0.message.contains("subtitle") && !$0.message.contains(": :") })
            #expect(errors.contains { $0.message.contains("a change of Post 1: ") })
            #expect(engine.status.models.first?.isSynced == false)
            // The app's own data has not changed.
            #expect(try await Self.subtitle(device.store, "1") == "b")
        }
    }
}

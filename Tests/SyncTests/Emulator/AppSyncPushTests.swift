import Foundation
import TestWaiting
import Testing
import Tidelog
import TidelogJSON
import TidelogSync

@Suite("AppSync's subscriptions", .enabled(if: AppSync.isInstalled, AppSync.isMissing), .timeLimit(.minutes(5)))
struct AppSyncPushTests {
    private static let everything = AppSyncFaultTests.everything

    /// Starts the emulator and an engine that has received one full record, and runs `body` when the engine is ready.
    private static func withEngine(
        _ settings: String = "{}", _ body: (AppSync, Device, SyncEngine) async throws -> Void
    ) async throws {
        try await AppSync.serve("note", settings) { api in
            try await api.mutate(
                "createNote", #"{"id":"1","title":"t","body":"text","tags":["x"],"j":"{\"a\":1}","inner":{"a":1}}"#,
                selecting: everything)
            let device = try await api.device()
            let engine = try device.engine(startup: .automatic)
            try await eventually { engine.status.state == .ready }
            try await body(api, device, engine)
            try await eventually("\(await describe(api, device))") { try await api.differences(device) == [] }
            await engine.stop()
        }
    }

    private static func describe(_ api: AppSync, _ device: Device) async -> String {
        (try? await api.differences(device).joined(separator: "\n")) ?? "The emulator does not answer."
    }

    @Test("changes of other clients arrive by pushes, with every kind of value")
    func pushes() async throws {
        try await Self.withEngine { api, device, _ in
            try await api.set(#"{"deny":["syncNotes"]}"#)
            try await api.mutate(
                "createNote",
                #"{"id":"2","title":"b","mood":"BAD","price":4,"inners":[{"b":"x"},null]}"#,
                selecting: Self.everything)
            try await api.mutate(
                "updateNote", #"{"id":"1","title":"new","tags":null,"_version":1}"#, selecting: Self.everything)
            try await eventually { try await api.differences(device) == [] }
            try await api.mutate("deleteNote", #"{"id":"1","_version":2}"#, selecting: Self.everything)
            try await eventually { try await device.store.record("Note", id: "1") == nil }
        }
    }

    @Test("pushes that arrive late, in the opposite order and several times leave the newest version")
    func disorder() async throws {
        try await Self.withEngine(#"{"pushCopies":3,"reversesPushes":true}"#) { api, device, _ in
            try await api.set(#"{"holdsPushes":true}"#)
            for version in 1...5 {
                try await api.mutate(
                    "updateNote", #"{"id":"1","rating":\#(version),"_version":\#(version)}"#, selecting: Self.everything
                )
            }
            try await api.mutate("createNote", #"{"id":"2","title":"b"}"#, selecting: Self.everything)
            try await api.mutate("deleteNote", #"{"id":"2","_version":1}"#, selecting: Self.everything)
            try await api.set(#"{"holdsPushes":false}"#)
            try await eventually { try await device.value("Note", "1", "rating") == 5 }
        }
    }

    @Test(
        "a push that has no usable record makes the engine ask for changes",
        arguments: [
            #"{"data":{"onUpdateNote":null}}"#, #"{"data":{"onUpdateNote":{"id":"1","title":"x"}}}"#,
            #"{"data":null,"errors":[{"message":"Cannot return null for non-nullable type"}]}"#,
        ])
    func unusable(_ payload: String) async throws {
        try await Self.withEngine { api, device, _ in
            try await api.set(#"{"pushes":false}"#)
            try await api.mutate("updateNote", #"{"id":"1","rating":7,"_version":1}"#, selecting: Self.everything)
            try await api.control(#"{"push":{"field":"onUpdateNote","payload":\#(payload)}}"#)
            try await eventually { try await device.value("Note", "1", "rating") == 7 }
            #expect(try await device.value("Note", "1", "title") == "t")
        }
    }

    @Test("a push with few fields erases no other field, and the engine asks for the record")
    func fewFields() async throws {
        try await Self.withEngine { api, device, _ in
            try await api.mutate(
                "updateNote", #"{"id":"1","title":"new","rating":3,"_version":1}"#,
                selecting: "id title createdAt updatedAt _version _deleted _lastChangedAt")
            try await eventually { try await device.value("Note", "1", "title") == "new" }
            #expect(try await device.value("Note", "1", "body") == "text")
            try await eventually { try await device.value("Note", "1", "rating") == 3 }
            #expect(try await api.requests("getNote").count == 1)
        }
    }

    @Test("two engines that change the same records at once converge with the API", arguments: [1, 2])
    func together(_ copies: Int) async throws {
        try await Self.withEngine(#"{"pushCopies":\#(copies),"reversesPushes":\#(copies > 1)}"#) { api, device, _ in
            let other = try await api.device()
            let engine = try other.engine(startup: .automatic)
            try await eventually { engine.status.state == .ready }
            for number in 0..<20 {
                for (changing, name) in [(device, "a"), (other, "b")] {
                    try await changing.save("Note", #"{"id":"\#(name)\#(number)","title":"\#(number)"}"#)
                    try await changing.change("Note", "1", ["title": .string("\(name)\(number)")])
                }
            }
            try await eventually {
                let (first, second) = (try SyncOutbox(device.store), try SyncOutbox(other.store))
                guard try await first.entries().isEmpty, try await second.entries().isEmpty else { return false }
                return try await api.differences(other) == []
            }
            await engine.stop()
        }
    }

    @Test("each subscription of a device is started once")
    func starts() async throws {
        try await AppSync.serve("relations") { api in
            let device = try await api.device()
            let engine = try device.engine(startup: .automatic)
            try await eventually { engine.status.state == .ready }
            #expect(try await api.messageCount("start") == 3 * engine.status.models.count)
            await engine.stop()
        }
    }

    @Test("an engine with more subscriptions than a connection may have receives and sends everything")
    func manySubscriptions() async throws {
        try await AppSync.serve("relations", #"{"maximumSubscriptions":20}"#) { api in
            let device = try await api.device()
            let engine = try device.engine(startup: .automatic)
            try await eventually { engine.status.state == .ready }
            try await api.mutate("createTag", #"{"id":"t","label":"l"}"#, selecting: "id")
            try await device.save("Team", #"{"id":"t","name":"n"}"#)
            try await eventually { try await api.record("Team", "t") != nil }
            await engine.stop()
            try await device.sync()
            try await api.expectEqual(device)
        }
    }

    @Test("a push with only the fields that its writer selected erases no other field")
    func partial() async throws {
        try await Self.withEngine { api, _, _ in
            try await api.mutate(
                "updateNote", #"{"id":"1","title":"new","_version":1}"#,
                selecting: "id title _version _deleted _lastChangedAt")
            try await api.mutate(
                "createNote", #"{"id":"2","title":"b","body":"text"}"#, selecting: "id _version _deleted _lastChangedAt"
            )
        }
    }

    @Test("a field that AppSync hides after mutations keeps its value on the device that changed another field")
    func redacted() async throws {
        try await Self.withEngine { api, device, _ in
            try await api.set(#"{"redact":["Note.body","Note.tags"]}"#)
            try await device.change("Note", "1", ["title": "new"])
            try await eventually { try await SyncOutbox(device.store).entries().isEmpty }
            try await eventually { try await device.value("Note", "1", "body") == "text" }
            try await device.change("Note", "1", ["body": "changed"])
            try await eventually { try await SyncOutbox(device.store).entries().isEmpty }
        }
    }
}

import Foundation
import ServerSupport
import Testing
import Tidelog
import TidelogSync
import TidelogSynchronization

@Suite("A comparison with the server", .timeLimit(.minutes(5)))
struct VerificationTests {
    /// Compares a device with its server. Also returns the differences in a short form, sorted.
    private static func verify(
        _ device: Device, _ configuration: SyncConfiguration = SyncConfiguration(), repairing: Bool = false
    ) async throws -> (SyncVerification, [String]) {
        let found = Mutex<[String]>([])
        let verification = try await device.engine(configuration).verify(repairing: repairing) { difference in
            #expect(difference.model == "Post" && difference.isRepaired == repairing)
            let fields = difference.fields.joined(separator: ",")
            let id = if case .string(let text)? = difference.id.components.first { text } else { "no text" }
            let text = "\(id) \(difference.kind.rawValue) \(fields)"
            found.withLock { $0.append(text) }
        }
        return (verification, found.withLock { $0.sorted() })
    }

    /// Changes a record of the device's store as if the server had sent it with the version that the store has for it.
    private static func disturb(
        _ device: Device, _ id: String, _ values: [String: FieldValue], removing removed: [String] = []
    ) async throws {
        var record = try await device.store.record("Post", id: RecordID(id)) ?? Record(model: "Post", values: [:])
        record.values.merge(values.merging(["id": .string(id)]) { $1 }) { $1 }
        for name in removed { record.values[name] = nil }
        let known = try await device.store.read { try $0.serverState(of: "Post", id: RecordID(id)) }
        let state = known ?? ServerState(version: 1, lastChangedAt: 5, isDeleted: false)
        try await device.store.writeReturning(requireParents: false) { [record] in
            try $0.append(received: record, server: state)
        }
    }

    private static func lose(_ device: Device, _ id: String) async throws {
        try await device.store.writeReturning(requireParents: false) {
            try $0.append(leftScope: "Post", id: RecordID(id))
        }
    }

    /// Calls `body` with a synced device that differs from its server in four records.
    private static func withDisturbedDevice(_ body: (Device) async throws -> Void) async throws {
        try await Device.serve { port in
            let (device, other) = (try await Device(port), try await Device(port))
            for number in 0..<25 {
                try await other.save("n\(number)", ["title": "t", "rating": .int(Int64(number)), "tags": .list(["a"])])
            }
            try await other.delete("n24")
            try await other.sync()
            try await other.delete("n23")
            try await other.sync()
            try await device.sync()
            // At least one millisecond of the server's clock passes between this sync and later changes.
            try await Task.sleep(for: .milliseconds(5))
            try await disturb(device, "n3", ["rating": 7], removing: ["tags"])
            try await lose(device, "n4")
            try await disturb(device, "n23", ["title": "back from the dead"])
            try await disturb(device, "unknown", ["title": "nobody has it"])
            try await body(device)
        }
    }

    private static let expected = [
        "n23 missingThere ", "n3 differs rating,tags", "n4 missingHere ", "unknown missingThere ",
    ]

    @Test("a comparison names the records and the fields that differ, and changes nothing")
    func named() async throws {
        try await Self.withDisturbedDevice { device in
            let head = try device.store.head
            for pageSize in [1_000, 2] {
                let (verification, found) = try await Self.verify(device, SyncConfiguration(syncPageSize: pageSize))
                #expect(found == Self.expected)
                #expect(verification.compared == 24 && verification.differences == 4 && verification.repaired == 0)
                #expect(verification.behind == 0 && verification.unsent == 0 && verification.problems.isEmpty)
                #expect(!verification.isEqual)
            }
            #expect(try device.store.head == head)
        }
    }

    @Test("a repair restores the server's records, also while the engine runs, and leaves no change to send")
    func repaired() async throws {
        for isRunning in [false, true] {
            try await Self.withDisturbedDevice { device in
                let engine = try device.engine()
                if isRunning { try await engine.start() }
                let (verification, found) = try await Self.verify(device, repairing: true)
                #expect(found == Self.expected)
                #expect(verification.differences == 4 && verification.repaired == 4 && verification.isEqual)
                await engine.stop()
                #expect(try await device.post("n3") == "t 3 a")
                #expect(try await device.post("n4") == "t 4 a")
                #expect(try await device.post("n23") == nil)
                #expect(try await device.post("unknown") == nil)
                let (again, rest) = try await Self.verify(device)
                #expect(rest.isEmpty && again.isEqual && again.compared == 23)
                #expect(try await SyncOutbox(device.store).entries().isEmpty)
                #expect(try await device.sync().sent == 0)
            }
        }
    }

    @Test("records with changes that are still to be sent or received are neither differences nor repaired")
    func onTheirWay() async throws {
        try await Self.withDisturbedDevice { device in
            try await device.save("n3", ["title": "mine"])
            try await device.save("n5", ["title": "mine"])
            try await device.save("new", ["title": "mine"])
            let other = try await Device(device.port)
            try await other.sync()
            try await other.save("n6", ["title": "theirs"])
            try await other.save("later", ["title": "theirs"])
            try await other.delete("n7")
            try await other.sync()
            let (verification, found) = try await Self.verify(device, repairing: true)
            #expect(found == ["n23 missingThere ", "n4 missingHere ", "unknown missingThere "])
            #expect(verification.behind == 3 && verification.unsent == 3 && verification.repaired == 3)
            #expect(try await device.post("n3") == "mine 7 ")
            #expect(try await device.post("n6") == "t 6 a")
            #expect(try await device.post("later") == nil)
            try await device.sync()
            #expect(try await Self.verify(device).0.isEqual)
            #expect(try await device.post("n6") == "theirs 6 a")
        }
    }

    @Test("a server's change from before the last sync that never arrived is a difference, and is repaired")
    func missed() async throws {
        try await Device.serve { port in
            let (device, other) = (try await Device(port), try await Device(port))
            try await other.save("1", ["title": "old"])
            try await other.sync()
            try await device.sync()
            let old = try #require(try await device.store.record("Post", id: RecordID("1")))
            try await other.save("1", ["title": "new"])
            try await other.sync()
            try await Task.sleep(for: .milliseconds(5))
            try await device.sync()
            try await device.store.writeReturning(requireParents: false) {
                try $0.append(received: old, server: ServerState(version: 1, lastChangedAt: 5, isDeleted: false))
            }
            let (verification, found) = try await Self.verify(device, repairing: true)
            #expect(found == ["1 differs title,updatedAt,_version"] && verification.isEqual)
            #expect(try await device.post("1") == "new - ")
        }
    }

    @Test(
        "server records outside a sync expression are not compared; local ones are differences unless they are unsent")
    func expression() async throws {
        try await Device.serve { port in
            let (device, other) = (try await Device(port), try await Device(port))
            for number in 0..<10 { try await other.save("n\(number)", ["rating": .int(Int64(number))]) }
            try await other.sync()
            let configuration = SyncConfiguration(syncExpressions: [
                .syncExpression("Post") { .field("rating", .greaterOrEqual(.int(6))) }
            ])
            #expect(try await device.engine(configuration).runOnce().received == 4)
            let (verification, found) = try await Self.verify(device, configuration)
            #expect(found.isEmpty && verification.isEqual && verification.compared == 4)
            try await Self.disturb(device, "n2", ["rating": 2])
            #expect(try await Self.verify(device, configuration, repairing: true).1 == ["n2 missingThere "])
            #expect(try await device.post("n2") == nil)
            // Until the server has a local record, a repair does not remove it.
            try await device.save("mine", ["rating": 1])
            let (rest, others) = try await Self.verify(device, configuration, repairing: true)
            #expect(others.isEmpty && rest.isEqual && rest.unsent == 1)
            #expect(try await device.post("mine") == "- 1 ")
        }
    }

    @Test("a comparison fails if the server does not respond, and is not equal if the responses are unusable")
    func unanswered() async throws {
        let device = try await Device(1)
        await #expect {
            try await device.engine().verify(repairing: false, patience: .zero, progress: { _ in }) { _ in }
        } throws: {
            ($0 as? SyncError)?.code == .unreachable
        }
        let server = ScriptedServer { (request, number) throws(TransportError) in
            switch (request.field, number) {
            case ("getPost", _): ScriptedServer.noPost
            case (_, 1): ScriptedServer.json("", status: 503)
            case (_, 2): ScriptedServer.page([ScriptedServer.post("1"), "null"], next: "more")
            default: ScriptedServer.page([], next: "more")
            }
        }
        let store = try await Device(1).store
        let engine = try SyncEngine(
            store: store, endpoint: #require(URL(string: "https://example.com/graphql")),
            authorization: .apiKey("da2-key"), startup: .manual, transport: server)
        let verification = try await engine.verify()
        #expect(verification.problems.count == 2 && !verification.isEqual)
    }

    @Test("a comparison names the model that the server refuses, and compares the other models")
    func refusedModel() async throws {
        let server = ScriptedServer { (request, _) throws(TransportError) in
            switch request.field {
            case "syncNotes":
                ScriptedServer.json(
                    #"{"data":{"syncNotes":null},"errors":[{"message":"Not Authorized","errorType":"Unauthorized"}]}"#)
            case "syncPosts": ScriptedServer.page([ScriptedServer.post("1")])
            default: ScriptedServer.json(#"{"data":{"\#(request.field)":\#(ScriptedServer.post("1"))}}"#)
            }
        }
        let device = try await Device(1, sdl: Device.sdl + "\ntype Note @model { id: ID! text: String }")
        let verification = try await device.engine(transport: server).verify()
        #expect(verification.problems == ["Note was not compared completely: Not Authorized."])
        #expect(verification.compared == 1 && verification.behind == 1 && !verification.isEqual)
    }
}

import TestStores
import Testing
import Tidelog

@testable import TidelogCore

@Suite("Events from a server")
struct RemoteEventTests {
    @Test(
        "events from a server are projected, and a rebuild gives the same rows and server states",
        arguments: Adapter.all)
    func projected(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(adapter)
        let state = ServerState(baseVersion: nil, version: 4, lastChangedAt: 99)
        try await store.write { try $0.append(received: item("a", "server"), server: state) }
        #expect(try await store.title("a") == "server")
        #expect(try await store.serverState("a") == state)

        let saved = try await store.save(item("b", "local")).first
        let incarnation = try store.current().log.metadata.incarnation
        let place = try store.position(of: saved)
        let answer = (mutation: MutationID(incarnation: incarnation, sequence: saved), outbox: place)
        try await store.write {
            try $0.append(
                acknowledged: "Item", id: RecordID("b"), server: ServerState(version: 1), answering: answer)
        }
        #expect(try await store.title("b") == "local")
        #expect(try await store.serverState("b")?.version == 1)
        #expect(try await store.metrics().consumers.first { $0.name == "outbox" }?.position == place)
        let event = try #require(try store.allEvents().last)
        #expect(event.kind == .acknowledged && event.origin == .remote)
        #expect(event.answer == Answer(mutation: answer.mutation, outboxPosition: saved))
        #expect(event.previous == saved)

        try await store.write {
            try $0.append(rejected: "Item", id: RecordID("b"), reason: "too late", answering: answer)
        }
        #expect(try store.allEvents().last?.reason == "too late")
        #expect(try await store.title("b") == "local")

        let gone = ServerState(version: 5, isDeleted: true)
        try await store.write { try $0.append(receivedDeletionOf: "Item", id: RecordID("a"), server: gone) }
        #expect(try await store.title("a") == nil)
        #expect(try await store.serverState("a") == gone)
        try await store.write { try $0.append(leftScope: "Item", id: RecordID("b")) }
        #expect(try await store.title("b") == nil)
        #expect(try await store.serverState("b") == nil)

        #expect(try await store.verify().isWhole)
        try await store.rebuild()
        #expect(try await store.verify().isWhole)
        #expect(try await store.serverState("a") == gone)
        #expect(try await store.serverState("b") == nil)
        try await store.close()
    }
}

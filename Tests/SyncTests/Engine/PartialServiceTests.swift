import Foundation
import ServerSupport
import TestWaiting
import Testing
import Tidelog
import TidelogSDL
import TidelogSync

/// A server that does a part of its work: some models fail, some records cannot be stored, or it has no WebSockets.
@Suite("A server that works in part", .timeLimit(.minutes(5)))
struct PartialServiceTests {
    /// A store with the models `Item1` to `Item<count>`.
    private static func store(_ count: Int) async throws -> DataStore {
        let sdl = (1...count).map { "type Item\($0) @model { id: ID! title: String }" }.joined(separator: "\n")
        return try await DataStore.inMemory(schema: SchemaDocument(sdl: Array(sdl.utf8)).schema)
    }

    private static func engine(
        _ store: DataStore, _ server: ScriptedServer, _ startup: SyncEngine.Startup = .automatic
    ) throws -> SyncEngine {
        try SyncEngine(
            store: store, endpoint: #require(URL(string: "https://example.com/graphql")),
            authorization: .apiKey("da2-key"), startup: startup, transport: server)
    }

    private static func item(_ id: String, version: Int = 1) -> String {
        #"{"id":"\#(id)","title":"t","_version":\#(version),"_lastChangedAt":5,"_deleted":null}"#
    }

    private static func page(_ request: ScriptedServer.Request, _ items: [String] = []) -> TransportResponse {
        let list = items.joined(separator: ",")
        return ScriptedServer.json(
            #"{"data":{"\#(request.field)":{"items":[\#(list)],"nextToken":null,"startedAt":1000}}}"#)
    }

    private static func internalFailure(_ request: ScriptedServer.Request) -> TransportResponse {
        ScriptedServer.json(
            #"{"data":{"\#(request.field)":null},"errors":[{"message":"broken","errorType":"InternalFailure"}]}"#)
    }

    /// A server with empty pages, which takes every creation.
    private static func server(_ sockets: ScriptedServer.Sockets = .accepting()) -> ScriptedServer {
        ScriptedServer(sockets: sockets) { (request, _) throws(TransportError) in answer(request) }
    }

    private static func answer(_ request: ScriptedServer.Request, _ items: [String] = []) -> TransportResponse {
        guard request.field.hasPrefix("create") else { return page(request, items) }
        return ScriptedServer.json(#"{"data":{"\#(request.field)":\#(item("1"))}}"#)
    }

    // MARK: Subscriptions

    @Test("a start of the engine starts three subscriptions for each model, and stops none", arguments: [1, 5, 20])
    func starts(_ count: Int) async throws {
        let server = Self.server()
        let engine = try Self.engine(try await Self.store(count), server)
        try await eventually { engine.status.state == .ready && engine.status.models.allSatisfy(\.isSynced) }
        #expect(server.starts.count == 3 * count && Set(server.starts).count == 3 * count)
        #expect(server.stopCount == 0 && server.sockets.count == 1)
        await engine.stop()
        let openCount = server.sockets.count { !$0.isClosed }
        #expect(openCount == 0)
    }

    @Test("fifty models sync with a server that allows a hundred subscriptions on a connection")
    func connections() async throws {
        let server = Self.server(.accepting(perConnection: 100))
        let engine = try Self.engine(try await Self.store(50), server)
        try await eventually { engine.status.state == .ready && engine.status.models.allSatisfy(\.isSynced) }
        #expect(server.sockets.map(\.subscriptionCount).sorted() == [50, 100])
        await engine.stop()
    }

    @Test("models beyond the server's limit of subscriptions are synced, and all other models receive pushes")
    func exhausted() async throws {
        let server = Self.server(.accepting(perConnection: 100, connections: 1))
        let engine = try Self.engine(try await Self.store(40), server)
        try await eventually { engine.status.state == .ready }
        try await eventually { engine.status.models.count(where: \.isSynced) == 33 }
        await engine.stop()
    }

    // MARK: Models and records

    @Test("a model whose queries fail keeps neither other models from syncing nor changes from being sent")
    func failingModel() async throws {
        let store = try await Self.store(3)
        let server = ScriptedServer { (request, _) throws(TransportError) in
            request.field == "syncItem1s" ? Self.internalFailure(request) : Self.answer(request, [Self.item("1")])
        }
        let engine = try Self.engine(store, server)
        try await store.save(Record(model: "Item1", values: ["id": "1", "title": "t"]))
        try await eventually { engine.status.state == .ready && engine.status.pending == 0 }
        #expect(engine.status.models.map(\.isSynced) == [false, true, true] && engine.status.sent == 1)
        await engine.stop()
    }

    @Test("a single run of a sync ends although a model fails, and its report names the model", arguments: [1, 3])
    func failingRun(count: Int) async throws {
        let store = try await Self.store(count)
        let server = ScriptedServer { (request, _) throws(TransportError) in
            request.field == "syncItem1s" ? Self.internalFailure(request) : Self.answer(request)
        }
        try await store.save(Record(model: "Item1", values: ["id": "1", "title": "t"]))
        let report = await (try Self.engine(store, server, .manual)).runOnce()
        #expect(report.failure == nil && report.sent == 1 && report.pending == 0)
        #expect(report.failing == ["Item1": "InternalFailure: broken"] && report.queries.count == count - 1)
        #expect(report.problems.count == 1 && report.problems.first?.hasPrefix("Item1: ") == true)
        #expect(server.requests.count { $0.field == "syncItem1s" } < 20)
    }

    @Test("a record that the store cannot hold is skipped and reported, and all other records are stored")
    func unstorable() async throws {
        let store = try await Self.store(1)
        let long = String(repeating: "x", count: 300)
        let server = ScriptedServer { (request, _) throws(TransportError) in
            Self.page(request, [Self.item("1"), Self.item(long), Self.item("2")])
        }
        for _ in 0..<2 {
            let report = await (try Self.engine(store, server, .manual)).runOnce()
            #expect(report.failure == nil && report.lastSync["Item1"] == nil)
            #expect(report.problems.count == 1 && report.problems.first?.contains("300 bytes") == true)
        }
        #expect(try await store.read { try $0.count(Record.all(of: "Item1")) } == 2)
    }

    // MARK: WebSockets

    @Test("a single run of a sync opens no WebSocket")
    func once() async throws {
        let store = try await Self.store(2)
        let server = Self.server(.refused(status: 403))
        try await store.save(Record(model: "Item1", values: ["id": "1", "title": "t"]))
        let report = await (try Self.engine(store, server, .manual)).runOnce()
        #expect(report.failure == nil && report.sent == 1 && report.pending == 0)
        #expect(server.socketRequestCount == 0)
    }

    @Test("an engine whose WebSockets are refused queries the server and sends its changes", arguments: 0..<6)
    func noSocket(_ kind: Int) async throws {
        let store = try await Self.store(2)
        let sockets: [ScriptedServer.Sockets] = [
            .refused(status: 403), .refused(status: 404), .refused(status: 400), .closed, .silent, .unacknowledged,
        ]
        let server = Self.server(sockets[kind])
        try await store.save(Record(model: "Item1", values: ["id": "1", "title": "t"]))
        let engine = try Self.engine(store, server)
        try await eventually { engine.status.state == .ready && engine.status.pending == 0 }
        #expect(engine.status.hasSession && engine.status.isOnline)
        // The WebSocket is tried again, and changes are pushed from then on.
        server.treat(.accepting())
        engine.networkChanged(isAvailable: false)
        engine.networkChanged(isAvailable: true)
        try await eventually { engine.status.models.allSatisfy(\.isSynced) }
        await engine.stop()
    }
}

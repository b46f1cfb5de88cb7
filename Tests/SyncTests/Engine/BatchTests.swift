import Foundation
import TestWaiting
import Testing
import Tidelog
import TidelogJSON
import TidelogSDL
import TidelogSynchronization

@testable import TidelogClientMachines
@testable import TidelogSync

/// Requests with several mutations.
@Suite("Mutations that travel together", .timeLimit(.minutes(5)))
struct BatchTests {
    /// A transport that counts the documents with mutations, and may lose responses to them.
    private final class CountingTransport: Transport {
        private struct State {
            var sizes: [Int] = []
            var documents: [String] = []
            var lossCount: Int
        }

        private let transport = CurlTransport()
        private let state: Mutex<State>

        init(losing lossCount: Int = 0) { state = Mutex(State(lossCount: lossCount)) }

        /// The number of mutations of each request.
        var sizes: [Int] { state.withLock { $0.sizes } }

        /// The body of each request.
        var documents: [String] { state.withLock { $0.documents } }

        func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
            let ids = request.headers["x-tidelog-mutation-id"]?.split(separator: ",").count ?? 0
            let response = try await transport.send(request)
            guard ids > 0 else { return response }
            let isLost = state.withLock { state in
                state.sizes.append(ids)
                state.documents.append(String(decoding: request.body, as: UTF8.self))
                state.lossCount -= 1
                return state.lossCount >= 0
            }
            if isLost { throw TransportError(.closed, "The response was lost.") }
            return response
        }

        func openWebSocket(_ request: WebSocketRequest) async throws(TransportError) -> any TransportWebSocket {
            try await transport.openWebSocket(request)
        }
    }

    private static func engine(_ server: ScriptedServer) async throws -> (SyncEngine, DataStore) {
        let store = try await DataStore.inMemory(schema: SchemaDocument(sdl: Array(Device.sdl.utf8)).schema)
        let engine = try SyncEngine(
            store: store, endpoint: #require(URL(string: "https://example.com/graphql")),
            authorization: .apiKey("da2-key"), startup: .manual, transport: server)
        return (engine, store)
    }

    private static func save(_ ids: [String], in store: DataStore) async throws {
        for id in ids { try await store.save(Record(model: "Post", values: ["id": .string(id), "title": "t"])) }
    }

    @Test(
        "changes that wait are sent in requests of up to 25, or alone if the configuration says so", arguments: [25, 1])
    func sizes(limit: Int) async throws {
        try await Device.serve { port in
            let device = try await Device(port)
            try await Self.save((0..<60).map { "p\($0)" }, in: device.store)
            let transport = CountingTransport()
            var configuration = SyncConfiguration()
            configuration.mutationsPerRequest = limit
            let engine = try device.engine(configuration, transport: transport)
            let report = await engine.runOnce()
            #expect(report.sent == 60 && report.failure == nil && report.problems.isEmpty)
            #expect(transport.sizes.reduce(0, +) == 60 && transport.sizes.max() == limit)
            #expect(engine.status.mutationsPerRequest == limit)
            let other = try await Device(port)
            try await other.sync()
            #expect(try await other.store.fetch(Record.all(of: "Post")).count == 60)
        }
    }

    @Test("a request with several changes has the selection of each model once")
    func fragments() async throws {
        try await Device.serve { port in
            let device = try await Device(port)
            try await Self.save((0..<20).map { "p\($0)" }, in: device.store)
            let transport = CountingTransport()
            let report = await (try device.engine(transport: transport)).runOnce()
            #expect(report.sent == 20 && report.failure == nil)
            let document = try #require(transport.documents.first { $0.contains(" m1: ") })
            #expect(document.components(separatedBy: "fragment Post on Post {").count == 2)
            #expect(document.components(separatedBy: "_lastChangedAt").count == 2)
            #expect(document.contains(" m1: createPost(input: $input1) { ...Post }"))
        }
    }

    @Test("if the response to a request with several changes is lost, each is recognised and made once")
    func lostResponses() async throws {
        try await Device.serve { port in
            let device = try await Device(port)
            try await Self.save((0..<40).map { "p\($0)" }, in: device.store)
            let report = await (try device.engine(transport: CountingTransport(losing: 2))).runOnce()
            #expect(report.sent == 40 && report.conflicts == 0 && report.setAside == 0)
            let other = try await Device(port)
            try await other.sync()
            #expect(try await other.store.fetch(Record.all(of: "Post")).count == 40)
            let versions = try await other.store.read { snapshot in
                try (0..<40).map { try snapshot.serverState(of: "Post", id: RecordID("p\($0)"))?.version }
            }
            #expect(versions.allSatisfy { $0 == 1 })
        }
    }

    @Test("each change of a request has its own answer: written, refused, in conflict, unauthorized, and busy")
    func partialErrors() async throws {
        let conflict = ScriptedServer.post("c", version: 9).replacing("\"t\"", with: "\"theirs\"")
        let server = ScriptedServer(takesBatches: true) { (request, _) throws(TransportError) in
            guard request.headers["x-tidelog-mutation-id"] != nil else {
                // The record in an error may lack values, so the device asks for it.
                guard request.field == "getPost" else { return ScriptedServer.page([]) }
                let hasRecord = request.body.contains("\"id\":\"c\"")
                return hasRecord ? ScriptedServer.json(#"{"data":{"getPost":\#(conflict)}}"#) : ScriptedServer.noPost
            }
            guard request.body.contains("mutation Changes") else {
                return ScriptedServer.json(#"{"data":{"createPost":\#(ScriptedServer.post("e"))}}"#)
            }
            let errors = [
                #"{"path":["m1"],"errorType":"BadRequest","message":"The title is not allowed."}"#,
                #"{"path":["m2"],"errorType":"ConflictUnhandled","message":"Conflict.","data":\#(conflict)}"#,
                #"{"path":["m3"],"errorType":"Unauthorized","message":"Not Authorized to access createPost"}"#,
                #"{"path":["m4"],"errorType":"DynamoDB:ThrottlingException","message":"The table is busy."}"#,
            ]
            let data = #"{"m0":\#(ScriptedServer.post("a")),"m1":null,"m2":null,"m3":null,"m4":null}"#
            return ScriptedServer.json(#"{"data":\#(data),"errors":[\#(errors.joined(separator: ","))]}"#)
        }
        let (engine, store) = try await Self.engine(server)
        try await Self.save(["a", "b", "c", "d", "e"], in: store)
        let report = await engine.runOnce()
        #expect(report.failure == nil && report.pending == 0)
        #expect(report.sent == 2 && report.conflicts == 1 && report.setAside == 2)
        let entries = try await SyncOutbox(store).entries()
        #expect(entries.map(\.errorType) == ["BadRequest", "Unauthorized"])
        #expect(entries.map(\.id.description) == ["b", "d"])
        #expect(server.requests.count { $0.body.contains("mutation Changes") } == 1)
    }

    @Test("a server that refuses documents with several changes gets single changes, and the status says so")
    func refusedDocuments() async throws {
        let server = ScriptedServer { (request, _) throws(TransportError) in
            guard request.field == "createPost" else { return ScriptedServer.page([]) }
            let id = ["a", "b", "c", "d"].first { request.body.contains("\"id\":\"\($0)\"") } ?? ""
            return ScriptedServer.json(#"{"data":{"createPost":\#(ScriptedServer.post(id))}}"#)
        }
        let (engine, store) = try await Self.engine(server)
        try await Self.save(["a", "b"], in: store)
        try await engine.start()
        try await engine.catchUp()
        #expect(engine.status.mutationsPerRequest == 1 && engine.status.sent == 2)
        try await store.writeReturning { transaction in
            for id in ["c", "d"] {
                try transaction.save(Record(model: "Post", values: ["id": .string(id), "title": "t"]))
            }
        }
        try await engine.catchUp()
        await engine.stop()
        #expect(server.requests.count { $0.body.contains("mutation Changes") } == 1)
        #expect(server.requests.count { $0.field == "createPost" } == 4)
    }

    @Test("a server that asks to wait asks this for each change of a request")
    func waiting() async throws {
        let server = ScriptedServer(takesBatches: true) { (_, _) throws(TransportError) in
            ScriptedServer.json("{}", status: 429, ["retry-after": "7"])
        }
        let (engine, _) = try await Self.engine(server)
        let mutations = (1...3).map { number in
            OutgoingMutation(
                RecordReference(model: "Post", id: RecordID("p\(number)")), .create, fields: ["title": .string("t")],
                id: MutationID(incarnation: 1, sequence: SequenceNumber(UInt64(number))))
        }
        let tickets = mutations.enumerated().map { Outbox.Ticket(slot: $0, mutation: $1.id, request: 1) }
        let answer = await (try #require(engine.server)).send(mutations, tickets)
        guard case .mutations(let responses, let answered, let refusesBatches) = answer else {
            Issue.record("The answer is \(answer).")
            return
        }
        #expect(responses.map(\.content) == Array(repeating: .failed(retryAfter: 7_000), count: 3))
        #expect(answered == tickets && !refusesBatches)
        #expect(server.requests.count == 1)
    }

    @Test("a record with another id than the changed one is no answer to the change")
    func anotherRecord() async throws {
        let server = ScriptedServer { (request, number) throws(TransportError) in
            switch request.field {
            case "createPost": ScriptedServer.json(#"{"data":{"createPost":\#(ScriptedServer.post("z"))}}"#)
            // The first answer is the record of another id too.
            case "getPost":
                ScriptedServer.json(#"{"data":{"getPost":\#(ScriptedServer.post(number == 1 ? "z" : "a"))}}"#)
            default: ScriptedServer.page([])
            }
        }
        let (engine, store) = try await Self.engine(server)
        try await Self.save(["a"], in: store)
        let report = await engine.runOnce()
        #expect(report.sent == 1 && report.pending == 0 && report.setAside == 0)
        #expect(server.requests.count { $0.field == "createPost" } == 1)
        #expect(try await store.fetch(Record.all(of: "Post")).map { $0["id"] } == ["a"])
    }

    @Test("a document that is refused because of one change does not end batches")
    func culprit() async throws {
        let server = ScriptedServer(takesBatches: true) { (request, _) throws(TransportError) in
            guard request.headers["x-tidelog-mutation-id"] != nil else { return ScriptedServer.page([]) }
            let invalid = #"{"errors":[{"message":"Validation error of type FieldUndefined"}]}"#
            if request.body.contains("bad") { return ScriptedServer.json(invalid, status: 400) }
            return ScriptedServer.json(#"{"data":{"createPost":\#(ScriptedServer.post("good"))}}"#)
        }
        let (engine, store) = try await Self.engine(server)
        try await Self.save(["bad", "good"], in: store)
        let report = await engine.runOnce()
        #expect(report.sent == 1 && report.setAside == 1)
        #expect(engine.status.mutationsPerRequest == 25)
    }

    @Test("the configuration refuses a number of changes in a request that is out of range", arguments: [0, 101])
    func range(size: Int) async throws {
        let device = try await Device(80)
        var configuration = SyncConfiguration()
        configuration.mutationsPerRequest = size
        let error = #expect(throws: SyncError.self) { try device.engine(configuration) }
        #expect(error?.code == .invalidConfiguration && error?.message.contains("\(size)") == true)
    }
}

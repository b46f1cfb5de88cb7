import Foundation
import TestWaiting
import Testing
import Tidelog
import TidelogSDL
import TidelogSync

/// Errors of a server that may pass, and records that two devices create.
@Suite("Errors that may pass", .timeLimit(.minutes(5)))
struct PassingErrorTests {
    private static let busy = ScriptedServer.json(
        #"{"data":null,"errors":[{"errorType":"DynamoDB:ThrottlingException","message":"The table is busy."}]}"#)

    /// The answer of a server without posts.
    private static func nothing(_ request: ScriptedServer.Request) -> TransportResponse {
        request.field == "getPost" ? ScriptedServer.noPost : ScriptedServer.page([])
    }

    private static func engine(
        _ server: ScriptedServer, _ configuration: SyncConfiguration = SyncConfiguration()
    ) async throws -> (SyncEngine, DataStore) {
        let store = try await DataStore.inMemory(schema: SchemaDocument(sdl: Array(Device.sdl.utf8)).schema)
        let engine = try SyncEngine(
            store: store, endpoint: #require(URL(string: "https://example.com/graphql")),
            authorization: .apiKey("da2-key"), configuration: configuration, startup: .manual, transport: server)
        return (engine, store)
    }

    private static func save(_ id: String, in store: DataStore) async throws {
        try await store.save(Record(model: "Post", values: ["id": .string(id), "title": "t"]))
    }

    @Test("a single run of a sync ends if the server cannot make a change, and the change stays pending with its error")
    func singleRun() async throws {
        let server = ScriptedServer { (request, _) throws(TransportError) in
            guard request.field == "createPost" else { return Self.nothing(request) }
            guard request.body.contains("good") else { return Self.busy }
            return ScriptedServer.json(#"{"data":{"createPost":\#(ScriptedServer.post("good"))}}"#)
        }
        let (engine, store) = try await Self.engine(server)
        try await Self.save("bad", in: store)
        try await Self.save("good", in: store)
        let report = await engine.runOnce()
        #expect(report.failure == nil && report.sent == 1 && report.pending == 1 && report.setAside == 0)
        #expect(report.problems.count == 1)
        #expect(report.problems.first?.contains("The table is busy.") == true)
        let entries = try await SyncOutbox(store).entries()
        #expect(entries.map(\.state) == [.pending] && entries.map(\.attempts) == [3])
        #expect(entries.first?.reason == "The table is busy.")
        #expect(entries.first?.errorType == "DynamoDB:ThrottlingException")
        #expect(server.requests.count { $0.field == "createPost" } == 4)
    }

    @Test("a time limit ends a single run of a sync although the server answers some requests")
    func timeLimit() async throws {
        // The server answers every question about the record, and no mutation.
        let server = ScriptedServer { (request, _) throws(TransportError) in
            switch request.field {
            case "createPost": ScriptedServer.json("", status: 500)
            default: Self.nothing(request)
            }
        }
        let (engine, store) = try await Self.engine(server)
        try await Self.save("1", in: store)
        let report = await engine.runOnce(until: nil, patience: .seconds(2))
        #expect(report.failure != nil && report.pending == 1)
    }

    @Test("the status and the events tell of a change that the server cannot make")
    func status() async throws {
        let server = ScriptedServer { (request, number) throws(TransportError) in
            guard request.field == "createPost" else { return Self.nothing(request) }
            return number < 3
                ? Self.busy : ScriptedServer.json(#"{"data":{"createPost":\#(ScriptedServer.post("1"))}}"#)
        }
        let (engine, store) = try await Self.engine(server)
        var wasFailing = false
        let (statuses, events) = (engine.statuses, engine.events)
        try await Self.save("1", in: store)
        try await engine.start()
        for await status in statuses {
            if status.failing == 1 {
                wasFailing = true
                #expect(status.lastError?.code == .changeDelayed && status.pending == 1)
            }
            if status.sent == 1 { break }
        }
        await engine.stop()
        #expect(wasFailing)
        var failures: [SyncError.Code] = []
        for await event in events {
            if case .failed(let error) = event { failures.append(error.code) }
            if case .stopped = event { break }
        }
        #expect(failures == [.changeDelayed], "later tries of the same change give no further events")
    }

    @Test(
        "a device that creates a record which another device has created hears of the conflict, and sent does not count it"
    )
    func twoCreations() async throws {
        try await Device.serve { port in
            let (a, b) = (try await Device(port), try await Device(port))
            try await a.save("1", ["title": "a"])
            try await b.save("1", ["title": "b"])
            try await a.sync()
            let engine = try b.engine()
            let events = engine.events
            let report = await engine.runOnce()
            #expect(report.failure == nil && report.sent == 0 && report.conflicts == 1 && report.setAside == 0)
            var conflicts: [SyncConflictEvent] = []
            for await event in events {
                if case .conflict(let conflict) = event { conflicts.append(conflict) }
                if case .stopped = event { break }
            }
            #expect(conflicts.map { $0.local["title"] } == ["b"])
            #expect(conflicts.first?.remote.element.model?["title"] == "a")
            #expect(try await b.post("1") == "a - ")
        }
    }
}

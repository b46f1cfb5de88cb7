import Foundation
import ServerSupport
import TestWaiting
import Testing
import Tidelog
import TidelogAgreement
import TidelogServer
import TidelogSync

@Suite("An engine with a server", .databaseToo, .timeLimit(.minutes(5)))
struct EngineTests {
    @Test("engines that run exchange every change")
    func running() async throws {
        try await Device.serve { port in
            let (a, b) = (try await Device(port), try await Device(port))
            let (engine, other) = (try a.engine(startup: .automatic), try b.engine(startup: .automatic))
            try await a.save("1", ["title": "a"])
            try await eventually { try await b.post("1") == "a - " }
            try await b.save("1", ["title": "b", "rating": 2])
            try await eventually { try await a.post("1") == "b 2 " }
            for number in 0..<50 { try await a.save("n\(number)", ["rating": .int(Int64(number))]) }
            try await a.delete("1")
            try await eventually {
                let (last, deleted) = (try await b.post("n49"), try await b.post("1"))
                return last != nil && deleted == nil
            }
            try await eventually { try await SyncOutbox(a.store).entries().isEmpty }
            await engine.stop()
            await other.stop()
            // The next run has no change to send.
            #expect(try await a.sync().sent == 0)
            #expect(try await SyncOutbox(b.store).entries().isEmpty)
        }
    }

    @Test("an engine that is stopped keeps its changes, and a start sends them")
    func stopped() async throws {
        try await Device.serve { port in
            let device = try await Device(port)
            let engine = try device.engine()
            try await device.save("1", ["title": "a"])
            await engine.stop()
            try await engine.start()
            try await eventually { try await SyncOutbox(device.store).entries().isEmpty }
            await engine.stop()
            try await device.save("1", ["title": "b"])
            try await Task.sleep(for: .milliseconds(100))
            #expect(try await SyncOutbox(device.store).entries().map(\.state) == [.pending])
            let report = await engine.runOnce()
            #expect(report.sent == 1 && report.pending == 0 && report.failure == nil)
        }
    }

    @Test("runOnce stops waiting for an unreachable server at its deadline, and fails after its patience")
    func late() async throws {
        let device = try await Device(1)
        try await device.save("1", ["title": "a"])
        let report = await (try device.engine()).runOnce(until: .now + .milliseconds(300))
        #expect(report.pending == 1 && report.sent == 0)
        // Whether the first connection has failed by then depends on the time.
        #expect([.unreachable, .deadlinePassed].contains(report.failure?.code))
        let impatient = await (try device.engine()).runOnce(until: nil, patience: .milliseconds(300))
        #expect(impatient.failure?.code == .unreachable && impatient.pending == 1)
    }

    @Test("a run that waits for a server finds the server after its start, and sends the change")
    func laterServer() async throws {
        try await Device.serve { port in
            let device = try await Device(port)
            try await device.save("1", ["title": "a"])
            let transport = LateTransport()
            let engine = try device.engine(transport: transport)
            let run = Task { await engine.runOnce() }
            try await eventually { engine.status.lastError?.code == .unreachable }
            #expect(!engine.status.isOnline && engine.status.pending == 1)
            transport.start()
            let report = await run.value
            #expect(report.sent == 1 && report.pending == 0 && report.failure == nil)
            let other = try await Device(port)
            #expect(try await other.sync().received == 1)
        }
    }

    @Test("a store that was synced with one server is not synced with another")
    func identity() async throws {
        try await Device.serve { port in
            let device = try await Device(port)
            try await device.sync()
            let engine = try SyncEngine(
                store: device.store, endpoint: #require(URL(string: "http://127.0.0.1:1/graphql")),
                authorization: .apiKey(Device.key), startup: .manual)
            await #expect { try await engine.start() } throws: { ($0 as? SyncError)?.code == .identityChanged }
            #expect(await engine.runOnce().failure?.code == .identityChanged)
        }
    }

    @Test("a store that no server has answered belongs to no server and to no person")
    func noIdentity() async throws {
        func token(_ subject: String) -> GraphQLAuthorization {
            let claims = Base64URL.encode(Array(#"{"iss":"https://pool","sub":"\#(subject)"}"#.utf8))
            return .token { "header.\(claims).signature" }
        }
        let device = try await Device(1)
        let head = try device.store.head.sequence
        for engine in [
            try device.engine(as: token("anna")), try device.engine(as: token("ben")), try device.engine(),
            try Device(device.store, 2).engine(),
        ] {
            try await engine.start()
            #expect(await engine.runOnce(until: .now + .milliseconds(100)).sent == 0)
        }
        #expect(try device.store.head.sequence == head)
    }

    @Test("closing a store ends its engine, which can then be stopped, and whose next run fails")
    func closedStore() async throws {
        try await Device.serve { port in
            let device = try await Device(port)
            let engine = try device.engine()
            try await engine.start()
            try await eventually { engine.status.state == .ready }
            try await device.store.close()
            try await eventually { engine.status.state == .stopped }
            #expect(engine.status.lastError?.code == .store)
            await engine.stop()
            #expect(await engine.runOnce().failure?.code == .store)
        }
    }

    @Test("a configuration that is out of range is refused")
    func configuration() async throws {
        let device = try await Device(1)
        for configuration in [
            SyncConfiguration(syncMaxRecords: 0), SyncConfiguration(syncPageSize: 0),
            SyncConfiguration(syncPageSize: 1_001), SyncConfiguration(syncInterval: .seconds(-1)),
            SyncConfiguration(syncExpressions: [.syncExpression("Nothing") { .all }]),
        ] {
            #expect { try device.engine(configuration) } throws: {
                ($0 as? SyncError)?.code == .invalidConfiguration
            }
        }
        let misfit = SyncConfiguration(syncExpressions: [
            .syncExpression("Post") { .field("nothing", .equal(.int(1))) }
        ])
        #expect { try device.engine(misfit) } throws: { ($0 as? DataStoreError)?.code == .invalidPredicate }
    }

    @Test("a change stays pending if the server refuses the token, and is sent by an engine with valid credentials")
    func tokens() async throws {
        try await Device.serve { port in
            let device = try await Device(port)
            try await device.save("1", ["title": "a"])
            let engine = try SyncEngine(
                store: device.store, endpoint: #require(URL(string: "http://127.0.0.1:\(port)/graphql")),
                authorization: .token { "no token at all" }, startup: .manual)
            let report = await engine.runOnce()
            #expect(report.failure?.code == .unauthorized && report.pending == 1)
            #expect(try await device.sync().sent == 1)
        }
    }
}

import Foundation
import RawServer
import ServerSupport
import TestWaiting
import Testing
import Tidelog
import TidelogServer
import TidelogSync
import TidelogSynchronization

@Suite("An engine's life cycle", .timeLimit(.minutes(5)))
struct LifeCycleTests {
    /// The first status that fulfils `condition`.
    @discardableResult
    private static func status(
        of engine: SyncEngine, where condition: (SyncStatus) -> Bool
    ) async throws -> SyncStatus {
        for await status in engine.statuses where condition(status) { return status }
        throw SyncTestFailure("the engine has ended")
    }

    /// The events up to and including the first one that fulfils `condition`.
    private static func events(
        _ stream: AsyncStream<SyncEvent>, through condition: (SyncEvent) -> Bool
    ) async -> [SyncEvent] {
        var events: [SyncEvent] = []
        for await event in stream {
            events.append(event)
            if condition(event) { break }
        }
        return events
    }

    private static func isReady(_ event: SyncEvent) -> Bool { if case .ready = event { true } else { false } }

    private static func isStopped(_ event: SyncEvent) -> Bool { if case .stopped = event { true } else { false } }

    // MARK: Starting and stopping

    @Test("an automatic engine starts when it is made, and a manual or stopped engine waits for a start")
    func startup() async throws {
        try await Device.serve { port in
            let device = try await Device(port)
            let manual = try device.engine()
            #expect(manual.status.state == .stopped)
            try await manual.start()
            try await Self.status(of: manual) { $0.state == .ready }
            await manual.stop()
            try await device.save("0", ["title": "a"])
            manual.networkChanged(isAvailable: true)
            try await Task.sleep(for: .milliseconds(100))
            #expect(manual.status.state == .stopped)
            #expect(try await SyncOutbox(device.store).entries().map(\.state) == [.pending])

            let automatic = try device.engine(startup: .automatic)
            try await Self.status(of: automatic) { $0.state == .ready && $0.pending == 0 }
            await automatic.stop()
            try await device.save("1", ["title": "a"])
            try await Task.sleep(for: .milliseconds(200))
            #expect(automatic.status.state == .stopped)
            #expect(try await SyncOutbox(device.store).entries().count == 1)
            try await automatic.start()
            try await Self.status(of: automatic) { $0.state == .ready && $0.pending == 0 }
            #expect(try await SyncOutbox(device.store).entries().isEmpty)
        }
    }

    @Test("each start reports its steps in order")
    func order() async throws {
        try await Device.serve { port in
            let (device, other) = (try await Device(port), try await Device(port))
            for number in 0..<5 { try await other.save("\(number)", ["rating": .int(Int64(number))]) }
            try await other.sync()
            try await device.save("own", ["title": "a"])
            let engine = try device.engine()
            let events = engine.events
            for isFirst in [true, false] {
                try await engine.start()
                let steps = await Self.events(events, through: Self.isReady).map(\.name)
                let expected = [
                    "networkStatus", "outboxStatus", "networkStatus", "subscriptionsEstablished", "syncQueriesStarted",
                    "modelSynced", "syncQueriesReady", "syncStarted", "ready",
                ]
                #expect(steps == expected, "\(isFirst)")
                let rest = Task { await Self.events(events, through: Self.isStopped) }
                try await Self.status(of: engine) { $0.pending == 0 && $0.state == .ready }
                await engine.stop()
                let later = await rest.value.map(\.name)
                #expect(later == (isFirst ? ["outboxMutationProcessed", "outboxStatus", "stopped"] : ["stopped"]))
            }
        }
    }

    @Test("the first receiver of an automatic engine gets all events since the engine was made")
    func beginning() async throws {
        try await Device.serve { port in
            let device = try await Device(port)
            let engine = try device.engine(startup: .automatic)
            try await Self.status(of: engine) { $0.state == .ready }
            let events = await Self.events(engine.events, through: Self.isReady)
            guard case .networkStatus(active: false)? = events.first else {
                Issue.record("\(events)")
                return
            }
            #expect(events.count == 9)
        }
    }

    @Test("events name each change and its version")
    func payloads() async throws {
        try await Device.serve { port in
            let (device, other) = (try await Device(port), try await Device(port))
            for number in 0..<5 { try await other.save("\(number)", ["rating": .int(Int64(number))]) }
            try await other.sync()
            let engine = try device.engine()
            let events = engine.events
            try await engine.start()
            var synced: ModelSyncedEvent?
            for case .modelSynced(let event) in await Self.events(events, through: Self.isReady) { synced = event }
            #expect(synced?.modelName == "Post" && synced?.isFullSync == true && synced?.isDeltaSync == false)
            #expect(synced?.added == 5 && synced?.updated == 0 && synced?.deleted == 0 && synced?.isTruncated == false)

            try await device.save("own", ["title": "a"])
            let sent = await Self.events(events) {
                if case .outboxMutationProcessed = $0 { true } else { false }
            }
            var changes: [OutboxMutationEvent] = []
            for event in sent {
                switch event {
                case .outboxMutationEnqueued(let change), .outboxMutationProcessed(let change): changes.append(change)
                case .outboxStatus(let isEmpty): #expect(!isEmpty)
                default: Issue.record("\(event)")
                }
            }
            #expect(changes.count == 2 && changes.allSatisfy { $0.modelName == "Post" && $0.element.id == "own" })
            #expect(changes.first?.element.model?["title"] == "a" && changes.first?.element.version == nil)
            #expect(changes.last?.element.version == 1 && changes.last?.element.deleted == false)
            #expect(changes.last?.element.lastChangedAt ?? 0 > 0)

            try await other.delete("0")
            try await other.sync()
            let received = await Self.events(events) { if case .syncReceived = $0 { true } else { false } }
            guard case .syncReceived(let change)? = received.last else {
                Issue.record("no change was received")
                return
            }
            #expect(change.element.id == "0" && change.element.deleted == true && change.element.model == nil)
            #expect(change.element.version == 2)
        }
    }

    @Test("a slow receiver gets an event with the number of events that it missed")
    func slow() async throws {
        let device = try await Device(1)
        let engine = try device.engine()
        let events = engine.events
        try await engine.start()
        // The engine sends no events for changes that it finds when it starts, so the test waits until it has started.
        try await Self.status(of: engine) { $0.state == .connecting && $0.lastError != nil }
        for number in 0..<1_500 { try await device.save("\(number)", ["rating": 1]) }
        try await Self.status(of: engine) { $0.pending == 1_500 }
        await engine.stop()
        var iterator = events.makeAsyncIterator()
        for _ in 0..<1_000 {
            if case .missed? = await iterator.next() { Issue.record("An event is missing among the first 1,000.") }
        }
        // There is room for the next event. The engine first sends an event about the gap.
        try await engine.start()
        guard case .missed(let count)? = await iterator.next() else {
            Issue.record("The gap was not told.")
            return
        }
        #expect(count >= 500)
        guard case .networkStatus(active: false)? = await iterator.next() else {
            Issue.record("The event after the gap is missing.")
            return
        }
        await engine.stop()
    }

    @Test("receivers may be cancelled while the engine sends events")
    func cancelledReceivers() async throws {
        let device = try await Device(1)
        let engine = try device.engine(startup: .automatic)
        for _ in 0..<100 {
            let receivers = (0..<4).map { number in
                Task {
                    if number % 2 == 0 {
                        for await _ in engine.statuses {}
                    } else {
                        for await _ in engine.events {}
                    }
                }
            }
            for number in 0..<5 { try await device.save("\(number)", ["rating": 1]) }
            for receiver in receivers { receiver.cancel() }
            for receiver in receivers { await receiver.value }
        }
        await engine.stop()
    }

    // MARK: Offline

    @Test("without a server, the status has the error, the number of pending changes and the time of the next attempt")
    func offline() async throws {
        let device = try await Device(1)
        let errors = Mutex<[SyncError]>([])
        let configuration = SyncConfiguration(errorHandler: { error in errors.withLock { $0.append(error) } })
        let engine = try device.engine(configuration, startup: .automatic)
        let before = Date()
        try await device.save("1", ["title": "a"])
        try await device.save("2", ["title": "b"])
        let status = try await Self.status(of: engine) {
            $0.pending == 2 && $0.lastError != nil && $0.nextAttempt != nil
        }
        #expect(status.state == .connecting && !status.isOnline && status.setAside == 0)
        #expect(status.lastError?.code == .unreachable && status.fractionCompleted == 0)
        let oldest = try #require(status.oldestPending)
        #expect(oldest.timeIntervalSince(before) > -1 && oldest.timeIntervalSince(before) < 60)
        #expect(errors.withLock { $0.map(\.code) } == [.unreachable])
        await engine.stop()
    }

    @Test("when the network returns, changes of both sides are exchanged; the status and live queries show the outage")
    func network() async throws {
        try await Device.serve { port in
            let (device, other) = (try await Device(port), try await Device(port))
            try await other.sync()
            let engine = try device.engine(startup: .automatic)
            let live = Task {
                var states: [Bool] = []
                for try await result in device.store.observe(Record.all(of: "Post")) {
                    if states.last != result.isSynced { states.append(result.isSynced) }
                    if states == [false, true, false, true] { break }
                }
                return states
            }
            try await Self.status(of: engine) { $0.state == .ready && $0.models.allSatisfy(\.isSynced) }
            engine.networkChanged(isAvailable: false)
            try await Self.status(of: engine) { !$0.isOnline && !$0.models.contains(where: \.isSynced) }
            try await device.save("1", ["title": "a"])
            try await other.save("2", ["title": "b"])
            try await other.sync()
            try await Task.sleep(for: .milliseconds(100))
            #expect(engine.status.pending == 1)
            #expect(try await device.post("2") == nil)
            engine.networkChanged(isAvailable: true)
            try await Self.status(of: engine) { $0.isOnline && $0.pending == 0 && $0.models.allSatisfy(\.isSynced) }
            #expect(try await device.post("2") == "b - ")
            #expect(try await live.value == [false, true, false, true])
        }
    }

    // MARK: Waiting for everything

    @Test("catchUp returns when the device and the server have each other's changes from before the call")
    func catchUp() async throws {
        try await Device.serve { port in
            let (device, other) = (try await Device(port), try await Device(port))
            try await other.sync()
            let engine = try device.engine()
            await #expect { try await engine.catchUp() } throws: { ($0 as? SyncError)?.code == .stopped }
            try await engine.start()
            for round in 0..<10 {
                try await other.save("theirs", ["rating": .int(Int64(round))])
                try await other.sync()
                try await device.save("ours", ["rating": .int(Int64(round))])
                try await engine.catchUp()
                #expect(try await device.post("theirs") == "- \(round) ")
                #expect(try await SyncOutbox(device.store).entries().isEmpty)
                try await other.sync()
                #expect(try await other.post("ours") == "- \(round) ")
            }
            await engine.stop()
        }
    }

    @Test("catchUp waits while there is no server, and ends when its task is cancelled or the engine is stopped")
    func catchUpOffline() async throws {
        let device = try await Device(1)
        try await device.save("1", ["title": "a"])
        let engine = try device.engine(startup: .automatic)
        let cancelled = Task { try await engine.catchUp() }
        let stopped = Task { try await engine.catchUp() }
        try await Self.status(of: engine) { $0.lastError != nil }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        await engine.stop()
        await #expect { try await stopped.value } throws: { ($0 as? SyncError)?.code == .stopped }
    }

    @Test("a stop does not wait for a WebSocket that the server never opens")
    func silentSocket() async throws {
        let isAsked = Shared(false)
        let silent = try RawServer { connection in
            if try connection.receive(through: "\r\n\r\n").contains("/realtime") { isAsked.set(true) }
            _ = connection.waitForEnd()
        }
        let engine = try await Device(silent.port).engine(startup: .automatic)
        try await eventually { isAsked.value }
        let start = ContinuousClock.now
        await engine.stop()
        // If the stop waited for the WebSocket, it would take the 30 seconds after which the opening fails.
        #expect(ContinuousClock.now - start < .seconds(15))
    }

    // MARK: Clearing

    @Test("clear refuses to lose unsent changes and gives their number; if they may be discarded, it empties the store")
    func clear() async throws {
        try await Device.serve { port in
            let device = try await Device(port)
            try await device.save("1", ["title": "a"])
            try await device.sync()
            let engine = try device.engine()
            for number in 0..<3 { try await device.save("n\(number)", ["rating": 1]) }
            await #expect { try await engine.clear() } throws: { error in
                let error = error as? SyncError
                return error?.code == .unsentChanges && error?.unsentCount == 3
            }
            #expect(try await device.post("n2") != nil)
            try await engine.clear(discardingUnsent: true)
            #expect(try await device.post("1") == nil)
            #expect(engine.status.state == .stopped)
            try await engine.start()
            try await Self.status(of: engine) { $0.state == .ready }
            #expect(try await device.post("1") == "a - ")
            #expect(try await device.post("n2") == nil)
            try await engine.clear()
            #expect(try await device.post("1") == nil)
        }
    }

    @Test("a running engine continues after a refused clear")
    func refusedClear() async throws {
        let device = try await Device(1)
        let engine = try device.engine(startup: .automatic)
        try await Self.status(of: engine) { $0.state == .connecting }
        try await device.save("1", ["title": "a"])
        await #expect { try await engine.clear() } throws: { ($0 as? SyncError)?.unsentCount == 1 }
        try await Self.status(of: engine) { $0.state == .connecting }
        await engine.stop()
    }

    @Test(
        "if the app clears the store while the engine runs, the engine syncs the store again from the beginning",
        arguments: [SyncEngine.Startup.automatic, .manual])
    func clearedStore(startup: SyncEngine.Startup) async throws {
        try await Device.serve { port in
            let device = try await Device(port)
            try await device.save("1", ["title": "a"])
            let engine = try device.engine(startup: startup)
            try await engine.start()
            try await Self.status(of: engine) { $0.state == .ready && $0.pending == 0 }
            for round in 0..<20 {
                try await device.save("n\(round)", ["rating": 1])
                try await Task.sleep(for: .microseconds(500 * round))
                try await device.store.clear()
                try await eventually { try await device.post("1") == "a - " }
            }
            try await engine.catchUp()
            await engine.stop()
        }
    }

    @Test("a store that belongs to another server is refused until it is cleared")
    func identity() async throws {
        try await Device.serve { port in
            let device = try await Device(port)
            try await Device.serve { try await Device(device.store, $0).sync() }
            let moved = device
            let engine = try moved.engine()
            await #expect { try await engine.start() } throws: { ($0 as? SyncError)?.code == .identityChanged }
            try await engine.clear()
            try await engine.start()
            try await Self.status(of: engine) { $0.state == .ready }
            await engine.stop()
        }
    }

    // MARK: Without a server, and with another engine

    @Test("an engine without an endpoint reports the store as local only, and does not change the store")
    func localOnly() async throws {
        let device = try await Device(1)
        let engine = try SyncEngine(store: device.store)
        #expect(engine.status.state == .localOnly)
        let events = engine.events
        try await engine.start()
        var iterator = events.makeAsyncIterator()
        guard case .networkStatus(active: false)? = await iterator.next() else {
            Issue.record("The engine does not say that there is no network.")
            return
        }
        try await device.save("1", ["title": "a"])
        #expect(await engine.runOnce().failure?.code == .localOnly)
        await #expect { try await engine.catchUp() } throws: { ($0 as? SyncError)?.code == .localOnly }
        await engine.stop()
        #expect(engine.status.state == .localOnly)
        #expect(try await device.post("1") == "a - ")
        // As soon as the store has a server, the change that was made without one is sent.
        try await Device.serve { port in
            let report = try await Device(device.store, port).sync()
            #expect(report.sent == 1)
        }
    }

    @Test("an engine uses the endpoint and the API key of its configuration")
    func configured() async throws {
        try await Device.serve { port in
            let device = try await Device(port)
            try await device.save("1", ["title": "a"])
            var configuration = SyncConfiguration()
            configuration.endpoint = URL(string: "http://127.0.0.1:\(port)/graphql")
            #expect {
                _ = try SyncEngine(store: device.store, configuration: configuration)
            } throws: { ($0 as? SyncError)?.code == .invalidConfiguration }
            configuration.apiKey = Device.key
            let engine = try SyncEngine(store: device.store, configuration: configuration)
            try await Self.status(of: engine) { $0.state == .ready && $0.pending == 0 }
            await engine.stop()
        }
    }

    @Test("a second engine of a store follows the first engine, and gets the lease when the first engine stops")
    func follower() async throws {
        try await Device.serve { port in
            let (device, other) = (try await Device(port), try await Device(port))
            var first: SyncEngine? = try device.engine(startup: .automatic)
            try await Self.status(of: #require(first)) { $0.state == .ready }
            let (second, third) = (try device.engine(), try device.engine())
            try await second.start()
            try await Self.status(of: second) { $0.state == .following }
            try await third.start()
            try await Self.status(of: third) { $0.state == .following }
            #expect(await third.runOnce(until: .now + .milliseconds(100)).failure?.code == .deadlinePassed)
            #expect(third.status.state == .stopped)
            try await third.start()

            await first?.stop()
            try await Self.status(of: second) { $0.state == .ready }
            #expect(third.status.state == .following)
            try await first?.start()
            try await Self.status(of: #require(first)) { $0.state == .following }
            first = nil
            await second.stop()
            try await Self.status(of: third) { $0.state == .ready }
            try await device.save("1", ["title": "a"])
            try await third.catchUp()
            try await other.sync()
            #expect(try await other.post("1") == "a - ")
            await third.stop()
        }
    }

    @Test("an engine that is released while it syncs leaves the store to the engine that follows it")
    func released() async throws {
        try await Device.serve { port in
            let device = try await Device(port)
            var first: SyncEngine? = try device.engine(startup: .automatic)
            try await Self.status(of: #require(first)) { $0.state == .ready }
            let second = try device.engine()
            try await second.start()
            try await Self.status(of: second) { $0.state == .following }
            first = nil
            try await Self.status(of: second) { $0.state == .ready }
            try await device.save("1", ["title": "a"])
            try await second.catchUp()
            #expect(try await SyncOutbox(device.store).entries().isEmpty)
            await second.stop()
        }
    }
}

private struct SyncTestFailure: Error {
    let message: String

    init(_ message: String) { self.message = message }
}

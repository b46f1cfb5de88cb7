import Testing

@testable import TidelogClientMachines
@testable import TidelogSync

@Suite("Lifecycle")
struct LifecycleTests {
    private static let startReports: [Lifecycle.Action] = [.report(.networkStatus(isActive: false)), .open]

    @Test("a start reports its steps to the app in order, and starts the outbox after the queries")
    func order() {
        var lifecycle = Lifecycle(.automatic, isOnline: true)
        #expect(lifecycle.made() == Self.startReports)
        #expect(
            lifecycle.opened(isOutboxEmpty: false) == [
                .report(.outboxStatus(isEmpty: false)), .report(.networkStatus(isActive: true)),
            ])
        #expect(lifecycle.inboxReported(.subscriptionsEstablished) == [.report(.subscriptionsEstablished)])
        #expect(lifecycle.inboxReported(.queriesStarted(["A"])) == [.report(.syncQueriesStarted(["A"]))])
        #expect(
            lifecycle.inboxReported(.queriesReady) == [
                .report(.syncQueriesReady), .startOutbox, .report(.syncStarted), .report(.ready),
            ])
        #expect(lifecycle.inboxReported(.queriesReady).isEmpty)
        #expect(lifecycle.outboxChanged(isEmpty: false) == [.report(.outboxStatus(isEmpty: false))])
    }

    @Test("the outbox starts once, also if the first queries fail")
    func failingQueries() {
        var lifecycle = Lifecycle(.automatic, isOnline: true)
        _ = lifecycle.made()
        #expect(lifecycle.inboxReported(.maySend) == [.startOutbox])
        #expect(
            lifecycle.inboxReported(.queriesReady) == [
                .report(.syncQueriesReady), .report(.syncStarted), .report(.ready),
            ])
        _ = lifecycle.failed("x", at: 0, jitter: 0)
        #expect(lifecycle.closed(at: 100_000) == Self.startReports)
        #expect(lifecycle.inboxReported(.maySend) == [.startOutbox], "the next start begins again")
    }

    @Test("a failed engine starts again after a wait, or at once when the network returns")
    func failure() {
        var lifecycle = Lifecycle(.automatic, isOnline: true)
        _ = lifecycle.made()
        let actions = lifecycle.failed("x", at: 100, jitter: 50)
        #expect(actions == [.report(.failed("x", retryAt: 151)), .close])
        #expect(lifecycle.closed(at: 110).isEmpty)
        #expect(lifecycle.nextWake == 151)
        #expect(lifecycle.timePassed(to: 150).isEmpty)
        #expect(lifecycle.timePassed(to: 151) == Self.startReports)
        _ = lifecycle.failed("x", at: 200, jitter: 50)
        _ = lifecycle.closed(at: 200)
        #expect(lifecycle.networkChanged(isOnline: false, at: 201).isEmpty)
        #expect(lifecycle.networkChanged(isOnline: true, at: 202) == Self.startReports)
    }

    @Test("a stopped engine starts only if start is called, also if it is called while the engine is closing")
    func stop() {
        var lifecycle = Lifecycle(.automatic, isOnline: true)
        _ = lifecycle.made()
        #expect(lifecycle.stop() == [.close])
        #expect(lifecycle.start().isEmpty)
        #expect(lifecycle.closed(at: 5) == Self.startReports)
        _ = lifecycle.failed("x", at: 0, jitter: 0)
        #expect(lifecycle.stop().isEmpty)
        #expect(lifecycle.closed(at: 5) == [.report(.stopped)])
        #expect(lifecycle.timePassed(to: 1_000_000).isEmpty && lifecycle.state == .stopped)
        #expect(lifecycle.networkChanged(isOnline: false, at: 0).isEmpty)
    }

    @Test("an engine whose store is suspended ends without a failure, and starts when the store is resumed")
    func suspension() {
        var lifecycle = Lifecycle(.manual, isOnline: true)
        _ = lifecycle.start()
        #expect(lifecycle.resumed().isEmpty, "an engine that runs has nothing to resume")
        #expect(lifecycle.pause() == [.close])
        #expect(lifecycle.failed("x", at: 1, jitter: 0) == [.close])
        #expect(lifecycle.closed(at: 2) == [.awaitResumption])
        #expect(lifecycle.state == .paused && lifecycle.nextWake == nil)
        #expect(lifecycle.start().isEmpty && lifecycle.timePassed(to: 1_000_000).isEmpty)
        #expect(lifecycle.resumed() == Self.startReports)
        #expect(lifecycle.resumed().isEmpty)
    }

    @Test("an engine that is stopped during a suspension of its store stays stopped")
    func stopDuringSuspension() {
        var lifecycle = Lifecycle(.automatic, isOnline: true)
        _ = lifecycle.made()
        _ = lifecycle.pause()
        #expect(lifecycle.stop().isEmpty)
        #expect(lifecycle.closed(at: 1) == [.report(.stopped)])
        _ = lifecycle.start()
        _ = lifecycle.pause()
        _ = lifecycle.closed(at: 2)
        #expect(lifecycle.stop() == [.report(.stopped)])
        #expect(lifecycle.resumed().isEmpty && lifecycle.state == .stopped)
        #expect(lifecycle.pause().isEmpty)
    }

    @Test("a network that becomes active late is reported after the outbox's status, and only once")
    func late() {
        var lifecycle = Lifecycle(.automatic, isOnline: false)
        #expect(lifecycle.made() == Self.startReports)
        #expect(lifecycle.opened(isOutboxEmpty: true) == [.report(.outboxStatus(isEmpty: true))])
        #expect(lifecycle.networkChanged(isOnline: true, at: 1) == [.report(.networkStatus(isActive: true))])
        #expect(lifecycle.networkChanged(isOnline: true, at: 2).isEmpty)
    }

    @Test("a failure or a restart while the engine is closing repeats the request to close")
    func failureWhileClosing() {
        var lifecycle = Lifecycle(.automatic, isOnline: true)
        _ = lifecycle.made()
        #expect(lifecycle.stop() == [.close])
        #expect(lifecycle.failed("x", at: 0, jitter: 0) == [.close])
        #expect(lifecycle.restart(at: 0) == [.close])
        #expect(lifecycle.closed(at: 0) == [.report(.stopped)])
    }

    @Test("an engine starts again at once after its store was cleared, also if its startup is manual")
    func cleared() {
        var lifecycle = Lifecycle(.manual, isOnline: false)
        _ = lifecycle.start()
        #expect(lifecycle.restart(at: 7) == [.close])
        #expect(lifecycle.closed(at: 7) == Self.startReports)
    }

    @Test("a manual engine starts only when the app starts it, and does not start again after a failure")
    func manual() {
        var lifecycle = Lifecycle(.manual, isOnline: true)
        #expect(lifecycle.made().isEmpty)
        #expect(lifecycle.start() == Self.startReports)
        #expect(lifecycle.failed("x", at: 0, jitter: 0) == [.report(.failed("x", retryAt: nil)), .close])
        #expect(lifecycle.closed(at: 0) == [.report(.stopped)])
    }
}

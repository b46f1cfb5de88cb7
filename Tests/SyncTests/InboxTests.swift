import SeededNumbers
import Testing
import TidelogCore

@testable import TidelogSync

/// Runs the actions of an inbox, and keeps its notes in memory.
private struct InboxDriver {
    var options = Inbox.Options()
    var expressions: [String: String] = [:]
    var inbox: Inbox
    var notes: [String: [UInt8]] = [:]
    var subscribed: [String] = []
    var queries: [SyncQuery] = []
    var appends: [PageAppend] = []
    var sweeps: [Sweep] = []
    var reports: [InboxReport] = []
    var disconnectCount = 0
    var now: Int64 = 1_000_000

    init(_ names: [String] = ["Post"], options: Inbox.Options = Inbox.Options(), start: Bool = true) {
        self.options = options
        inbox = Inbox(names, notes: [:], options: options)
        if start { run(inbox.start(at: now)) }
    }

    /// Starts the engine again, with the notes that were kept.
    mutating func restart(_ names: [String] = ["Post"]) {
        (queries, appends, sweeps, reports, subscribed) = ([], [], [], [], [])
        inbox = Inbox(names, notes: notes, expressions: expressions, options: options)
        run(inbox.start(at: now))
        establish()
    }

    mutating func establish() {
        for name in subscribed { run(inbox.subscribed(name, at: now)) }
        subscribed = []
    }

    mutating func wait(_ milliseconds: Int64) {
        now += milliseconds
        run(inbox.timePassed(to: now, jitter: 5))
    }

    mutating func respond(_ response: QueryResponse) {
        run(inbox.pageReceived(response, to: queries.removeFirst(), at: now, jitter: 5))
    }

    mutating func page(_ ids: [String], next: String? = nil, startedAt: Int64 = 500, unusable: Int = 0) {
        let records = ids.map {
            ServerRecord(
                RecordReference(model: "Post", id: RecordID($0)),
                row: Record(model: "Post", values: ["id": .string($0)]),
                version: 1, lastChangedAt: 1)
        }
        respond(.page(SyncPage(records: records, nextToken: next, startedAt: startedAt, unusableCount: unusable)))
    }

    mutating func run(_ actions: [InboxAction]) {
        for action in actions {
            switch action {
            case .subscribe(let name): subscribed.append(name)
            case .disconnect: disconnectCount += 1
            case .query(let query): queries.append(query)
            case .append(let page):
                appends.append(page)
                note(page.notes)
                run(inbox.appended(page, at: now))
            case .sweep(let sweep):
                sweeps.append(sweep)
                note(sweep.notes)
                run(inbox.swept(sweep, at: now))
            case .refreshSession: break
            case .report(let report): reports.append(report)
            }
        }
    }

    private mutating func note(_ new: [String: [UInt8]?]) { for (name, value) in new { notes[name] = value } }
}

@Suite("Inbox")
struct InboxTests {
    @Test("the inbox first subscribes, and then queries one model at a time, parents before children")
    func order() {
        var driver = InboxDriver(["Blog", "Post"])
        #expect(driver.subscribed == ["Blog", "Post"] && driver.queries.isEmpty)
        driver.establish()
        #expect(driver.reports == [.subscriptionsEstablished, .queriesStarted(["Blog", "Post"])])
        #expect(driver.queries.map(\.model) == ["Blog"])
        driver.page([])
        #expect(driver.queries.map(\.model) == ["Post"])
        driver.page([])
        #expect(
            driver.reports.suffix(3) == [
                .modelSynced("Blog", isBase: true, isTruncated: false),
                .modelSynced("Post", isBase: true, isTruncated: false), .queriesReady,
            ])
        #expect(driver.inbox.isIdle)
    }

    @Test("a complete base query notes the last sync and removes unseen records; the next query is a delta query")
    func complete() {
        var driver = InboxDriver()
        driver.establish()
        driver.page(["1", "2"], next: "a")
        driver.page(["3"])
        #expect(driver.appends.map(\.baseStartedAt) == [500, 500])
        let seen = ["1", "2", "3"].map { RecordReference(model: "Post", id: RecordID($0)).stableHash }
        #expect(driver.sweeps.map(\.seen) == [Set(seen)])
        #expect(driver.notes.keys.sorted() == ["synced.Post"])
        driver.wait(1_000)
        driver.restart()
        #expect(driver.queries.map(\.lastSync) == [500])
        driver.page(["4"], startedAt: 700)
        #expect(driver.sweeps.isEmpty && driver.appends.map(\.baseStartedAt) == [nil])
        #expect(driver.notes["synced.Post"].flatMap { LastSync(encoded: $0) }?.startedAt == 700)
    }

    @Test("an interrupted base query continues at its last page, and remembers the records of the earlier pages")
    func resumed() {
        var driver = InboxDriver()
        driver.establish()
        driver.page(["1"], next: "a")
        driver.page(["2"], next: "b", startedAt: 500)
        driver.restart()
        #expect(driver.queries.map(\.nextToken) == ["b"] && driver.queries.map(\.lastSync) == [nil])
        driver.page(["3"], startedAt: 500)
        #expect(driver.sweeps.first?.seen?.count == 3 && driver.sweeps.first?.startedAt == 500)
        #expect(driver.queries.map(\.lastSync) == [500], "changes may have come before the subscription")
    }

    @Test("after a crash, a base query whose pages are all in the log is completed without asking for them again")
    func sweptAgain() {
        var driver = InboxDriver(start: false)
        driver.notes["base.Post"] =
            BaseProgress(startedAt: 9, nextToken: nil, recordCount: 1, pageCount: 1, expression: "").encoded
        driver.notes["seen.Post.0"] = SeenRecords(hashes: [4]).encoded
        driver.restart()
        #expect(driver.sweeps.map(\.seen) == [[4]])
        #expect(driver.notes.keys.sorted() == ["synced.Post"])
        #expect(driver.queries.map(\.lastSync) == [9], "the changes since the first page may be missing")
    }

    @Test("a base query begins again if the server refuses its page token")
    func refusedToken() {
        var driver = InboxDriver()
        driver.establish()
        driver.page(["1"], next: "a")
        driver.respond(.tokenRefused)
        driver.wait(1_000)
        #expect(driver.queries.map(\.nextToken) == [nil])
        driver.page(["1"])
        #expect(driver.sweeps.map(\.seen?.count) == [1])
    }

    @Test("a delta query whose page token is refused twice becomes a base query")
    func refusedDelta() {
        var driver = InboxDriver()
        driver.establish()
        driver.page([])
        driver.restart()
        for _ in 0..<2 {
            driver.page(["1"], next: "a")
            driver.respond(.tokenRefused)
            driver.wait(1_000)
        }
        #expect(driver.queries.map(\.lastSync) == [nil])
    }

    @Test("a query that gets the same page token three times is reported, and begins again")
    func repeatedToken() {
        var driver = InboxDriver()
        driver.establish()
        for _ in 0..<3 { driver.page(["1"], next: "a") }
        #expect(driver.reports.contains { if case .badAnswer = $0 { true } else { false } })
        #expect(driver.appends.count == 2 && driver.queries.isEmpty)
        driver.wait(1_000)
        #expect(driver.queries.map(\.nextToken) == [nil])
    }

    @Test(
        "a base query that stops at the record limit is reported as truncated, removes nothing and notes no last sync")
    func truncated() {
        var options = Inbox.Options()
        (options.pageSize, options.maximumRecords) = (2, 3)
        var driver = InboxDriver(options: options)
        driver.establish()
        #expect(driver.queries.map(\.limit) == [2])
        driver.page(["1", "2"], next: "a")
        #expect(driver.queries.map(\.limit) == [1])
        driver.page(["3"], next: "b")
        #expect(driver.reports.contains(.modelSynced("Post", isBase: true, isTruncated: true)))
        #expect(driver.sweeps.isEmpty && driver.notes.isEmpty && driver.inbox.isIdle)
    }

    @Test("a base query follows if the last sync is too old, in the future or of another sync expression")
    func lastSync() {
        for (elapsed, expression, isBase) in [
            (1_000, "", false), (86_400_000, "", true), (-1, "", true), (1_000, "title == \"a\"", true),
        ] as [(Int64, String, Bool)] {
            var driver = InboxDriver()
            driver.establish()
            driver.page([])
            driver.now += elapsed
            driver.expressions["Post"] = expression
            driver.restart()
            #expect(driver.queries.map { $0.lastSync == nil } == [isBase], "\(elapsed) \(expression)")
        }
    }

    @Test("a base query follows if the last sync is too old or in the future by the server's clock")
    func serverClock() {
        for startedAt in [499, 500 + 86_400_000] as [Int64] {
            var driver = InboxDriver()
            driver.establish()
            driver.page([])
            driver.restart()
            driver.page(["1"], startedAt: startedAt)
            #expect(driver.appends.isEmpty && driver.queries.map(\.lastSync) == [nil])
        }
    }

    @Test("a lost subscription is renewed, and a delta query follows")
    func lost() {
        var driver = InboxDriver()
        driver.establish()
        driver.page([])
        driver.run(driver.inbox.subscriptionLost("Post", at: driver.now))
        driver.establish()
        #expect(driver.queries.map(\.lastSync) == [500])
    }

    @Test("a connection that is silent for too long counts as lost")
    func silence() {
        var driver = InboxDriver()
        driver.establish()
        driver.page([])
        driver.wait(driver.options.silenceLimit - 1)
        #expect(driver.disconnectCount == 0)
        driver.inbox.messageReceived(at: driver.now)
        driver.wait(driver.options.silenceLimit - 1)
        #expect(driver.disconnectCount == 0)
        driver.wait(1)
        #expect(driver.disconnectCount == 1 && driver.subscribed == ["Post"])
    }

    @Test("a message without usable metadata leads to a query after a second, and several messages lead to one query")
    func unusable() {
        var driver = InboxDriver()
        driver.establish()
        driver.page([])
        for _ in 0..<5 { driver.run(driver.inbox.messageUnusable("Post", at: driver.now)) }
        driver.wait(999)
        #expect(driver.queries.isEmpty)
        driver.wait(1)
        #expect(driver.queries.count == 1)
    }

    @Test("a query with an unusable record notes no last sync and removes nothing, also after a crash")
    func gaps() {
        for crashes in [false, true] {
            var driver = InboxDriver()
            driver.establish()
            driver.page(["1"], next: "a", unusable: 1)
            if crashes { driver.restart() }
            driver.page(["2"])
            #expect(driver.sweeps.isEmpty && driver.notes.isEmpty)
            #expect(driver.queries.map(\.lastSync) == (crashes ? [nil] : []))
        }
    }

    @Test("a query without a response is repeated after a wait, and a refused model does not delay other models")
    func failures() {
        var driver = InboxDriver(["Blog", "Post"])
        driver.establish()
        for _ in 0..<30 {
            driver.respond(.failed(retryAfter: nil))
            driver.wait(driver.options.backoff.maximum)
            driver.establish()
        }
        driver.respond(.refused(errorType: "FieldUndefined", message: "no field"))
        #expect(driver.reports.contains(.modelRefused("Blog", errorType: "FieldUndefined", message: "no field")))
        #expect(driver.queries.map(\.model) == ["Post"])
        driver.wait(driver.options.timeLimit)
        driver.wait(driver.options.backoff.maximum)
        #expect(driver.queries.map(\.model) == ["Post", "Post"], "the first one had no answer in time")
    }

    @Test("after a lost connection, a model with a refused subscription is tried again, and is reported only once")
    func partlyRefused() {
        var driver = InboxDriver()
        func refuse(_ driver: inout InboxDriver) {
            #expect(driver.subscribed == ["Post"])
            driver.subscribed = []
            let actions = driver.inbox.subscriptionFailed(
                "Post", refused: ("Unauthorized", "not you"), at: driver.now, jitter: 5)
            driver.run(actions)
        }
        refuse(&driver)
        driver.page([])
        #expect(driver.queries.isEmpty)
        driver.run(driver.inbox.subscriptionLost("Post", at: driver.now))
        refuse(&driver)
        #expect(driver.queries.count == 1, "changes may have come in between")
        driver.page([])
        let refusals = driver.reports.filter { if case .modelRefused = $0 { true } else { false } }
        #expect(refusals.count == 1)
    }

    @Test("a model that the server refused is queried again after a lost connection returns")
    func refusedModel() {
        var driver = InboxDriver()
        driver.establish()
        driver.respond(.refused(errorType: "", message: "no field"))
        #expect(driver.inbox.refusedModels == ["Post"] && driver.inbox.isIdle)
        driver.wait(driver.options.backoff.maximum)
        #expect(driver.queries.isEmpty)
        driver.run(driver.inbox.subscriptionLost("Post", at: driver.now))
        driver.establish()
        driver.page(["1"])
        #expect(driver.inbox.refusedModels.isEmpty && driver.inbox.isInStep("Post"))
        #expect(driver.appends.count == 1 && driver.notes[NoteName.lastSync("Post")] != nil)
    }

    @Test("subscriptions and queries start at once when the network returns")
    func network() {
        var driver = InboxDriver()
        driver.establish()
        driver.respond(.failed(retryAfter: 60_000))
        driver.run(driver.inbox.networkChanged(isOnline: false, at: driver.now))
        driver.run(driver.inbox.networkChanged(isOnline: true, at: driver.now))
        #expect(driver.subscribed == ["Post"] && driver.queries.count == 1)
    }
}

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

import Testing
import TidelogCore

@testable import TidelogClientMachines
@testable import TidelogSync

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
            driver.reports.suffix(4) == [
                .modelSynced("Blog", isBase: true, isTruncated: false),
                .modelSynced("Post", isBase: true, isTruncated: false), .maySend, .queriesReady,
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
            BaseProgress(
                startedAt: 9, nextToken: nil, recordCount: 1, pageCount: 1, expression: "", receivedThrough: .zero
            ).encoded
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
        driver.settle()
        driver.lose("Post")
        driver.establish()
        #expect(driver.queries.map(\.lastSync) == [500])
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
            driver.failSubscriptions(.refused(errorType: "Unauthorized", message: "not you"))
        }
        refuse(&driver)
        driver.page([])
        #expect(driver.queries.isEmpty)
        driver.wait(driver.options.interval)
        #expect(driver.queries.count == 1, "its changes are not pushed")
        driver.page([])
        driver.lose("Post")
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
        driver.settle()
        driver.lose("Post")
        driver.establish()
        driver.page(["1"])
        #expect(driver.inbox.refusedModels.isEmpty && driver.inbox.isInStep("Post"))
        #expect(driver.appends.count == 1 && driver.notes[NoteName.lastSync("Post")] != nil)
    }

    @Test("subscriptions and queries start at once when the network returns")
    func network() {
        var driver = InboxDriver()
        driver.establish()
        driver.fail(retryAfter: 60_000)
        driver.run(driver.inbox.networkChanged(isOnline: false, at: driver.now))
        driver.run(driver.inbox.networkChanged(isOnline: true, at: driver.now))
        #expect(driver.subscribed == ["Post"] && driver.queries.count == 1)
    }
}

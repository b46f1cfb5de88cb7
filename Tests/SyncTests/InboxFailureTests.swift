import Testing
import TidelogCore

@testable import TidelogClientMachines
@testable import TidelogSync

/// A server that does a part of its work.
@Suite("Failures of the inbox")
struct InboxFailureTests {
    // MARK: Models

    @Test("a model that fails is passed over: other models are queried, changes are sent, and the model is tried again")
    func failingModel() {
        var driver = InboxDriver(["Blog", "Post"])
        driver.establish()
        driver.fail()
        #expect(driver.queries.map(\.model) == ["Post"])
        driver.page([])
        #expect(driver.reports.suffix(2) == [.maySend, .queriesReady])
        #expect(driver.reports.contains(.modelFailed("Blog", "broken")))
        #expect(driver.inbox.failingModels == ["Blog": "broken"] && !driver.inbox.isHeldUp && !driver.inbox.isIdle)
        for _ in 0..<5 {
            driver.wait(driver.options.backoff.maximum)
            #expect(driver.queries.map(\.model) == ["Blog"])
            driver.fail()
        }
        #expect(driver.inbox.condition(of: "Blog").failureCount == 6 && driver.inbox.isHeldUp)
        #expect(driver.reports.count { $0 == .modelFailed("Blog", "broken") } == 1)
        driver.wait(driver.options.backoff.maximum)
        driver.page([])
        #expect(driver.inbox.isIdle && driver.inbox.failingModels.isEmpty)
        #expect(driver.reports.last == .modelSynced("Blog", isBase: true, isTruncated: false))
    }

    @Test("neither an answer to another model nor the server's return ends the wait of a model that failed")
    func ownWaits() throws {
        var driver = InboxDriver(["Blog", "Post"])
        driver.establish()
        driver.fail(retryAfter: 50_000)
        let due = try #require(driver.inbox.condition(of: "Blog").nextQuery)
        driver.page([])
        driver.run(driver.inbox.serverReturned(at: driver.now))
        driver.run(driver.inbox.sessionRestored(at: driver.now))
        #expect(driver.queries.isEmpty && driver.inbox.condition(of: "Blog").nextQuery == due)
    }

    @Test("a query without an answer is tried once more at the server's return; its next failure belongs to its model")
    func silentModel() {
        var driver = InboxDriver(["Blog", "Post"])
        driver.establish()
        driver.fail(reach: .nothing)
        #expect(driver.inbox.failingModels.isEmpty, "the server as a whole may be the cause")
        driver.wait(1)
        #expect(driver.queries.map(\.model) == ["Post"])
        driver.page([])
        #expect(driver.queries.map(\.model) == ["Blog"])
        driver.fail(reach: .nothing, retryAfter: 50_000)
        driver.run(driver.inbox.serverReturned(at: driver.now))
        #expect(driver.queries.isEmpty && driver.inbox.failingModels == ["Blog": "broken"])
    }

    @Test("while no query has an answer, one query at a time tests the server, and nothing is sent")
    func silentServer() {
        var driver = InboxDriver((0..<20).map { "Model\($0)" })
        driver.establish()
        for _ in 0..<20 { driver.fail(reach: .nothing) }
        #expect(driver.queries.isEmpty && !driver.reports.contains(.maySend))
        for _ in 0..<50 {
            driver.wait(driver.options.backoff.maximum)
            #expect(driver.queries.count == 1)
            driver.fail(reach: .nothing)
        }
        driver.wait(driver.options.backoff.maximum)
        driver.page([])
        #expect(driver.queries.count == 19, "the server answers again")
        #expect(driver.reports.contains(.maySend))
    }

    @Test("changes are sent although no query succeeds, if the server answers")
    func sending() {
        var driver = InboxDriver()
        driver.establish()
        driver.fail(reach: .response)
        #expect(!driver.reports.contains(.maySend), "something else may have answered, such as a firewall")
        driver.wait(driver.options.backoff.maximum)
        driver.fail(reach: .answer)
        #expect(driver.reports.contains(.maySend) && !driver.reports.contains(.queriesReady))
    }

    @Test("the pages before a repeated token do not make the waits shorter")
    func repeatedTokens() throws {
        var driver = InboxDriver(["Post"])
        driver.establish()
        for round in 1...6 {
            for _ in 0..<3 { driver.page(["1"], next: "a") }
            #expect(driver.inbox.condition(of: "Post").failureCount == round)
            driver.wait(driver.options.backoff.maximum)
        }
        driver.page(["1"])
        #expect(driver.inbox.failingModels.isEmpty && driver.inbox.isIdle)
    }

    // MARK: Records

    @Test("a query with a record that the store cannot hold notes no last sync and removes nothing", arguments: [0, 1])
    func unstorable(page: Int) {
        var driver = InboxDriver()
        driver.establish()
        driver.outcome.unstorable = page == 0 ? ["too long"] : []
        driver.page(["1"], next: "a")
        driver.outcome.unstorable = page == 1 ? ["too long"] : []
        driver.page(["2"])
        #expect(driver.sweeps.isEmpty && driver.notes.isEmpty && driver.inbox.isIdle)
        #expect(driver.reports.contains(.badAnswer("Post: too long")))
        driver.outcome.unstorable = []
        driver.restart()
        #expect(driver.queries.map(\.lastSync) == [nil])
    }

    @Test("a delta query with a record that the store cannot hold leaves the last sync as it was")
    func unstorableDelta() {
        var driver = InboxDriver()
        driver.establish()
        driver.page(["1"])
        let noted = driver.notes
        driver.restart()
        driver.outcome.unstorable = ["too long", "too long"]
        driver.page(["2"], startedAt: 700)
        #expect(driver.notes == noted && driver.reports.contains(.badAnswer("Post: too long (and 1 more)")))
        driver.settle()
        driver.lose("Post")
        driver.establish()
        #expect(driver.queries.map(\.lastSync) == [500])
    }

    // MARK: Subscriptions

    @Test("no request for subscriptions is repeated while one is in flight, also if the server or the network returns")
    func oneRequest() {
        var driver = InboxDriver(["Blog", "Post"])
        #expect(driver.requests.count == 2)
        driver.run(driver.inbox.serverReturned(at: driver.now))
        driver.run(driver.inbox.sessionRestored(at: driver.now))
        driver.wait(1_000)
        driver.run(driver.inbox.networkChanged(isOnline: true, at: driver.now))
        #expect(driver.requests.count == 2 && driver.unsubscribed.isEmpty)
    }

    @Test("a request without an answer is ended before the next one, and a late answer to it is ignored")
    func lateAnswer() {
        var driver = InboxDriver()
        let request = driver.requests.removeFirst()
        driver.wait(driver.options.timeLimit)
        #expect(driver.unsubscribed == [request] && driver.requests.isEmpty)
        driver.wait(driver.options.backoff.maximum)
        #expect(driver.subscribed == ["Post"] && driver.requests != [request])
        driver.run(driver.inbox.subscribed(request, at: driver.now))
        #expect(!driver.inbox.isSubscribed)
        driver.run(driver.inbox.subscriptionLost(request, at: driver.now, jitter: 5))
        #expect(driver.requests.count == 1)
        driver.establish()
        #expect(driver.inbox.isSubscribed)
    }

    @Test("a single run of a sync asks for no subscriptions, and each model is queried once")
    func singleRun() {
        var driver = InboxDriver(["Blog", "Post"], subscribing: false)
        for _ in 0..<2 { driver.page([]) }
        driver.run(driver.inbox.changeTaken("Post", at: driver.now))
        driver.wait(driver.options.maximumInterval)
        #expect(driver.requests.isEmpty && driver.queries.isEmpty && driver.inbox.isIdle)
        driver.run(driver.inbox.subscribe(at: driver.now))
        driver.establish()
        #expect(driver.queries.count == 2, "changes may have come before the subscriptions")
    }

    @Test("queries wait for subscriptions for some seconds only; a query follows a late subscription")
    func patience() {
        var driver = InboxDriver()
        driver.wait(driver.options.subscriptionPatience - 1)
        #expect(driver.queries.isEmpty)
        driver.wait(1)
        driver.page([])
        #expect(driver.inbox.isIdle && !driver.inbox.isInStep("Post"))
        #expect(driver.inbox.condition(of: "Post").isAtIntervals)
        driver.establish()
        #expect(driver.reports.last == .subscriptionsEstablished && driver.queries.count == 1)
        driver.page([])
        #expect(driver.inbox.isInStep("Post") && !driver.inbox.condition(of: "Post").isAtIntervals)
    }

    @Test("without a connection the models are queried after a minute, then less often, and soon after their changes")
    func intervals() {
        var driver = InboxDriver()
        driver.failSubscriptions(.noConnection("refused", isUnreachable: false))
        driver.page(["1"])
        var waits: [Int64] = []
        for _ in 0..<6 {
            let start = driver.now
            while driver.queries.isEmpty {
                driver.wait(10_000)
                driver.failSubscriptions(.noConnection("refused", isUnreachable: false))
            }
            waits.append((driver.now - start) / 60_000)
            driver.page([])
        }
        #expect(waits == [1, 2, 4, 8, 10, 10])
        #expect(driver.reports.contains(.queriedAtIntervals(["Post"], "refused")))
        driver.wait(driver.options.minimumInterval)
        driver.run(driver.inbox.changeTaken("Post", at: driver.now))
        #expect(driver.queries.count == 1)
        driver.page([])
        driver.run(driver.inbox.changeTaken("Post", at: driver.now))
        #expect(driver.queries.isEmpty, "many changes lead to few queries")
        driver.wait(driver.options.minimumInterval)
        #expect(driver.queries.count == 1)
    }

    @Test("models share the failures of their connection, and its waits grow")
    func connection() {
        var driver = InboxDriver((0..<20).map { "Model\($0)" })
        for round in 1...8 {
            #expect(driver.requests.count == 20)
            driver.failSubscriptions(.noConnection("refused", isUnreachable: false))
            #expect(driver.inbox.connection.failures == round)
            driver.run(driver.inbox.serverReturned(at: driver.now))
            #expect(driver.requests.isEmpty, "the server answered the request for a WebSocket")
            driver.wait(driver.options.backoff.maximum)
        }
        driver.establish()
        #expect(driver.inbox.isSubscribed)
    }

    @Test("a connection that is lost soon after it was made is made again after a growing wait")
    func unstable() {
        var driver = InboxDriver()
        for round in 1...8 {
            driver.establish()
            driver.lose("Post")
            #expect(driver.requests.isEmpty && driver.inbox.connection.failures == round)
            driver.wait(driver.options.backoff.maximum)
            #expect(driver.requests.count == 1)
        }
        driver.establish()
        driver.settle()
        driver.lose("Post")
        #expect(driver.requests.count == 1 && driver.inbox.connection.failures == 0)
    }
}

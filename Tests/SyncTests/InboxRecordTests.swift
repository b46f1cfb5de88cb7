import Testing
import TidelogCore

@testable import TidelogClientMachines
@testable import TidelogSync

/// An inbox with one model, whose requests for single records the test answers.
private struct RecordsDriver {
    var inbox: Inbox
    var gets: [Inbox.RecordQuery] = []
    var settled: [Inbox.RecordAnswer] = []
    var sweeps: [Inbox.Sweep] = []
    var queries: [Inbox.Query] = []
    var appends: [Inbox.PageAppend] = []
    var refreshCount = 0
    /// The records that the store is not sure about.
    var inDoubt: [RecordReference] = []
    /// Whether answers are appended at once.
    var appendsAnswers = true
    var now: Int64 = 1_000_000

    /// An inbox that is synced, or one whose base query waits for its only page.
    init(isSynced: Bool = true, isExact: Bool = false, _ options: Inbox.Options = Inbox.Options()) {
        inbox = Inbox(["Post"], notes: [:], options: options)
        inbox.isServerExact = isExact
        run(inbox.start(subscribing: false, at: now))
        if isSynced { page() }
    }

    static func reference(_ number: Int) -> RecordReference {
        RecordReference(model: "Post", id: RecordID("\(number)"))
    }

    static func record(_ reference: RecordReference, version: UInt64 = 1) -> ServerRecord {
        ServerRecord(
            reference, row: Record(model: "Post", values: ["id": reference.id.components[0]]), version: version,
            lastChangedAt: 1)
    }

    mutating func page(next: String? = nil) {
        let page = Inbox.Page(records: [], nextToken: next, startedAt: 100_000)
        run(inbox.pageReceived(.page(page), to: queries.removeFirst(), at: now, jitter: 5))
    }

    mutating func hint(_ number: Int, version: UInt64 = 1) {
        run(inbox.recordsHinted([RecordHint(Self.reference(number), version: version)], at: now))
    }

    mutating func wait(_ milliseconds: Int64) {
        now += milliseconds
        run(inbox.timePassed(to: now, jitter: 5))
    }

    mutating func answer(_ response: Outbox.FetchResponse) {
        run(inbox.recordReceived(response, to: gets.removeFirst(), at: now, jitter: 5))
    }

    mutating func run(_ actions: [Inbox.Action]) {
        for action in actions {
            switch action {
            case .query(let query): queries.append(query)
            case .append(let page):
                appends.append(page)
                run(inbox.appended(page, Inbox.PageOutcome(), at: now))
            case .sweep(let sweep):
                sweeps.append(sweep)
                run(inbox.swept(sweep, inDoubt: sweep.seen == nil ? [] : inDoubt, at: now))
            case .get(let query): gets.append(query)
            case .settle(let answer):
                settled.append(answer)
                if appendsAnswers { run(inbox.settled(answer, at: now)) }
            case .refreshSession: refreshCount += 1
            case .subscribe, .unsubscribe, .report: break
            }
        }
    }
}

@Suite("Requests of the inbox for single records")
struct InboxRecordTests {
    @Test("several hints about a record lead to one request, and the inbox is not idle before its answer")
    func coalesced() {
        var driver = RecordsDriver()
        for version in 1...5 as ClosedRange<UInt64> { driver.hint(1, version: version) }
        #expect(driver.gets.isEmpty && !driver.inbox.isIdle && driver.inbox.nextWake == driver.now + 1_000)
        driver.wait(1_000)
        #expect(driver.gets.map(\.reference) == [RecordsDriver.reference(1)])
        driver.answer(.record(RecordsDriver.record(RecordsDriver.reference(1), version: 5)))
        #expect(driver.settled.count == 1 && driver.inbox.isIdle)
    }

    @Test("a hint during a request for its record leads to another request if the answer is older than the hint")
    func laterHint() {
        var driver = RecordsDriver()
        driver.hint(1)
        driver.wait(1_000)
        driver.appendsAnswers = false
        driver.answer(.record(RecordsDriver.record(RecordsDriver.reference(1))))
        driver.hint(1, version: 2)
        driver.run(driver.inbox.settled(driver.settled[0], at: driver.now))
        driver.wait(1_000)
        driver.appendsAnswers = true
        driver.answer(.record(RecordsDriver.record(RecordsDriver.reference(1), version: 2)))
        #expect(driver.settled.map(\.record?.version) == [1, 2] && driver.inbox.isIdle)
    }

    @Test("an answer that is older than the record here is asked for again once; then a query asks for the record")
    func stale() {
        var driver = RecordsDriver()
        driver.hint(1, version: 3)
        driver.wait(1_000)
        driver.answer(.record(nil))
        #expect(driver.settled.isEmpty && driver.gets.isEmpty)
        driver.wait(2_000)
        driver.answer(.record(RecordsDriver.record(RecordsDriver.reference(1), version: 2)))
        driver.wait(1_000)
        #expect(driver.queries.count == 1 && driver.gets.isEmpty)
    }

    @Test("if an exact server has an older version than a hint, one query follows instead of endless requests")
    func exactServerWentBack() {
        var driver = RecordsDriver(isExact: true)
        driver.hint(1, version: 3)
        driver.wait(2_000)
        driver.answer(.record(RecordsDriver.record(RecordsDriver.reference(1), version: 2)))
        for _ in 0..<10 {
            driver.wait(2_000)
            if !driver.queries.isEmpty { driver.page() }
        }
        #expect(driver.gets.isEmpty && driver.settled.count == 1)
        #expect(driver.inbox.isIdle)
    }

    @Test("the only answer of an exact server is believed")
    func exact() {
        var driver = RecordsDriver(isExact: true)
        driver.hint(1)
        driver.wait(1_000)
        driver.answer(.record(nil))
        #expect(driver.settled.map(\.record) == [nil] && driver.inbox.isIdle)
    }

    @Test("a record without an answer is asked for with growing pauses, and after five failures a query asks for it")
    func failures() {
        var driver = RecordsDriver()
        driver.hint(1)
        driver.wait(1_000)
        var count = 0
        while driver.queries.isEmpty, count < 20 {
            count += driver.gets.count
            if !driver.gets.isEmpty { driver.answer(.failed(retryAfter: nil)) }
            driver.wait(driver.inbox.nextWake.map { $0 - driver.now } ?? 1)
        }
        #expect(count == 5 && driver.gets.isEmpty)
        driver.page()
        #expect(driver.inbox.isIdle)
    }

    @Test("after a failure only one request at a time tests whether the server answers")
    func probing() {
        var driver = RecordsDriver()
        for number in 0..<20 { driver.hint(number) }
        driver.wait(1_000)
        #expect(driver.gets.count == 8)
        for _ in 0..<8 { driver.answer(.failed(retryAfter: nil)) }
        driver.wait(10_000)
        #expect(driver.gets.count == 1)
        let reference = driver.gets[0].reference
        driver.answer(.record(RecordsDriver.record(reference)))
        #expect(driver.gets.count == 8, "the server answers again")
    }

    @Test("a request without an answer in time is repeated, and so is one that was in flight when the network was lost")
    func timeLimits() {
        var driver = RecordsDriver()
        driver.hint(1)
        driver.wait(1_000)
        driver.wait(30_000)
        driver.wait(60_000)
        #expect(driver.gets.count == 2)
        driver.gets.removeFirst()
        driver.run(driver.inbox.networkChanged(isOnline: false, at: driver.now))
        driver.wait(60_000)
        #expect(driver.gets.count == 1)
        driver.run(driver.inbox.networkChanged(isOnline: true, at: driver.now))
        #expect(driver.gets.count == 2)
        driver.answer(.record(RecordsDriver.record(RecordsDriver.reference(1))))
        #expect(driver.settled.isEmpty, "this answer belongs to the earlier request")
        driver.answer(.record(RecordsDriver.record(RecordsDriver.reference(1))))
        #expect(driver.settled.count == 1)
    }

    @Test("an expired token makes requests for records wait for a new one")
    func session() {
        var driver = RecordsDriver()
        driver.hint(1)
        driver.wait(1_000)
        driver.answer(.unauthenticated)
        driver.wait(60_000)
        #expect(driver.refreshCount == 1 && driver.gets.isEmpty)
        driver.run(driver.inbox.sessionRestored(at: driver.now))
        #expect(driver.gets.count == 1)
    }

    @Test("if too many records are hinted, a query asks for them instead")
    func overflow() {
        var options = Inbox.Options()
        options.maximumHints = 3
        var driver = RecordsDriver(options)
        for number in 0..<4 { driver.hint(number) }
        driver.wait(1_000)
        #expect(driver.gets.isEmpty && driver.queries.map(\.lastSync) == [100_000 - 60_000])
    }

    @Test("the first delta query after a query of an exact server begins where that query began")
    func exactDelta() {
        var driver = RecordsDriver(isExact: true)
        driver.run(driver.inbox.refresh(at: driver.now))
        #expect(driver.queries.map(\.lastSync) == [100_000])
    }

    @Test("all pages of a delta query ask for the same time, also if the server says only then that it is exact")
    func pagesOfDelta() {
        var driver = RecordsDriver()
        driver.run(driver.inbox.refresh(at: driver.now))
        driver.inbox.isServerExact = true
        driver.page(next: "a")
        #expect(driver.queries.map(\.lastSync) == [40_000] && driver.queries.map(\.nextToken) == ["a"])
    }

    // MARK: Base queries

    @Test("1,000 records that a base query did not see are asked for, eight at a time, before the query ends")
    func manyInDoubt() throws {
        var driver = RecordsDriver(isSynced: false)
        driver.inbox.head = SequenceNumber(7)
        driver.inDoubt = (0..<1_000).map { RecordsDriver.reference($0) }
        driver.page()
        let sweep = try #require(driver.sweeps.first)
        #expect(sweep.certainBefore == 100_000 - 60_000 && sweep.notes[NoteName.lastSync("Post")] != nil)
        var largest = 0
        while !driver.gets.isEmpty {
            largest = max(largest, driver.gets.count)
            #expect(!driver.inbox.isIdle && driver.sweeps.count == 1)
            let reference = driver.gets[0].reference
            driver.answer(.record(RecordsDriver.record(reference)))
        }
        #expect(largest == 8 && driver.settled.count == 1_000)
        #expect(driver.sweeps.count == 2 && driver.sweeps[1].seen == nil && driver.sweeps[1].notes == sweep.notes)
        #expect(driver.inbox.isIdle)
    }

    @Test("records that were received after a base query began are in doubt, but not with an exact server")
    func receivedSince() {
        for isExact in [false, true] {
            var driver = RecordsDriver(isSynced: false, isExact: isExact)
            driver.inbox.head = SequenceNumber(9)
            driver.page()
            #expect(driver.sweeps.map(\.receivedThrough) == [isExact ? SequenceNumber(.max) : .zero])
            #expect(driver.sweeps.map(\.certainBefore) == [isExact ? 100_000 : 40_000])
        }
    }

    @Test("a record that the person may not read leaves, and after another refusal the record stays")
    func refusals() {
        var driver = RecordsDriver(isSynced: false)
        driver.inDoubt = [RecordsDriver.reference(1), RecordsDriver.reference(2)]
        driver.page()
        driver.answer(.refused(errorType: "Unauthorized", message: "no"))
        driver.answer(.refused(errorType: "ValidationError", message: "no such query"))
        #expect(driver.settled.map(\.query.reference) == [RecordsDriver.reference(1)])
        #expect(driver.settled.map(\.record) == [nil] && driver.sweeps.count == 2 && driver.inbox.isIdle)
    }

    @Test("if the server does not answer about a record in doubt, the record stays and the next query is a base query")
    func unanswered() {
        var driver = RecordsDriver(isSynced: false)
        driver.inDoubt = [RecordsDriver.reference(1)]
        driver.page()
        for _ in 0..<20 {
            if !driver.gets.isEmpty { driver.answer(.failed(retryAfter: nil)) }
            if driver.sweeps.count == 2 { break }
            driver.wait(driver.inbox.nextWake.map { $0 - driver.now } ?? 1)
        }
        #expect(driver.sweeps.count == 2 && driver.settled.isEmpty)
        let notes = driver.sweeps.last?.notes ?? [:]
        #expect(notes.keys.contains(NoteName.progress("Post")) && !notes.keys.contains(NoteName.lastSync("Post")))
        driver.run(driver.inbox.refresh(at: driver.now))
        #expect(driver.queries.map(\.lastSync) == [nil])
    }
}

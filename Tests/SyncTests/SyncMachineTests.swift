import Testing
import TidelogCore
import TidelogSync

@Suite("The machine of the sync engine")
struct SyncMachineTests {
    @Test("a store is opened once, although the provider of tokens names the person twice")
    func identifiedTwice() {
        var driver = SyncMachineDriver()
        driver.start()
        for _ in 0..<2 { driver.handle(.answer(.identified(SyncMachineDriver.identity), life: driver.machine.life)) }
        #expect(driver.openCount == 1)
    }

    @Test("pending changes are counted before the store is opened only if nobody names the person within 100 ms")
    func counting() {
        let identified = SyncMachine.Answer.identified(SyncMachineDriver.identity)
        var quick = SyncMachineDriver()
        quick.start()
        quick.handle(.answer(identified, life: quick.machine.life))
        quick.now = 100
        quick.handle(.timePassed)
        #expect(quick.countCount == 0 && quick.status.pending == 1, "opening the store reads them")

        var slow = SyncMachineDriver()
        slow.start()
        #expect(slow.machine.nextWake == 100)
        slow.now = 99
        slow.handle(.timePassed)
        #expect(slow.countCount == 0)
        slow.now = 100
        slow.handle(.timePassed)
        #expect(slow.countCount == 1 && slow.status.pending == 1)
        slow.now = 1_000
        slow.handle(.timePassed)
        slow.handle(.answer(identified, life: slow.machine.life))
        #expect(slow.countCount == 1 && slow.openCount == 1)

        var refused = SyncMachineDriver()
        refused.start()
        let failure = RequestFailure(.noToken, "Nobody is signed in.")
        refused.handle(.answer(.unidentified(failure), life: refused.machine.life))
        #expect(refused.countCount == 1 && refused.openCount == 0 && refused.status.pending == 1)
    }

    @Test("a server that is reached and lost again ends the pauses of mutations at most once in five seconds")
    func unsteadyServer() throws {
        var driver = SyncMachineDriver()
        driver.start()
        driver.handle(.answer(.identified(SyncMachineDriver.identity), life: driver.machine.life))
        driver.receiveEverything()
        #expect(driver.mutations.count == 1)

        driver.now = 12_000
        driver.loseMutation()
        #expect(driver.status.isOnline == false)
        driver.now = 12_100
        driver.refresh()
        driver.receiveEverything()
        #expect(driver.status.isOnline && driver.mutations.count == 1, "the answer ends the pause")

        driver.now = 13_500
        driver.loseMutation()
        driver.now = 13_600
        driver.refresh()
        driver.receiveEverything()
        #expect(driver.status.isOnline && driver.mutations.isEmpty, "the pause was ended 1.5 seconds before")

        driver.now = 18_000
        driver.refresh()
        driver.losePage()
        #expect(driver.status.isOnline == false)
        driver.now = 18_100
        driver.refresh()
        driver.receiveEverything()
        #expect(driver.mutations.count == 1, "six seconds have passed")
    }

    @Test("the report of a run that ends at its deadline says that it is not complete, or that there was no server")
    func deadline() {
        for (isLost, code) in [(false, SyncError.Code.deadlinePassed), (true, .unreachable)] {
            var driver = SyncMachineDriver()
            driver.start()
            driver.handle(.answer(.identified(SyncMachineDriver.identity), life: driver.machine.life))
            driver.handle(.await(SyncMachine.Goal(.settled, number: 7, wait: 500)))
            driver.now = 499
            driver.receiveEverything()
            if isLost { driver.loseMutation() }
            driver.handle(.timePassed)
            #expect(driver.failures.isEmpty)
            driver.now = 500
            driver.handle(.timePassed)
            #expect(driver.failures.map { $0?.code } == [code])
        }
    }
}

/// Runs the actions of a machine whose store has one pending change. It collects the requests that the machine makes.
private struct SyncMachineDriver {
    static let identity = SyncIdentity(endpoint: "https://server", subject: "person")
    private static let schema = Schema(models: [
        ModelSchema(name: "Post", fields: [FieldSchema("id", .id, isRequired: true), FieldSchema("title", .string)])
    ])

    private(set) var machine: SyncMachine
    var now: Int64 = 0
    private(set) var status: SyncStatus
    private(set) var openCount = 0
    /// How often the pending changes were counted.
    private(set) var countCount = 0
    /// The failures in the reports of calls that have ended.
    private(set) var failures: [SyncError?] = []
    /// The mutations that were sent and not answered.
    private(set) var mutations: [[Outbox.Ticket]] = []
    private var pages: [Inbox.Query] = []
    private var subscriptions: [(Inbox.SubscriptionRequest, connection: Int)] = []
    private var goalCount: UInt64 = 0

    init() {
        let models = SyncModels(Self.schema)
        var settings = SyncMachine.Settings(models)
        settings.outbox.backoff = Backoff(first: 600_000, maximum: 600_000)
        settings.outbox.timeLimit = 3_600_000
        settings.inbox.backoff = Backoff(first: 1, maximum: 1)
        status = SyncStatus(.stopped, models: models.names)
        machine = SyncMachine(settings, status: status, seed: 1)
    }

    // MARK: Inputs

    mutating func start() { handle(.start(isSingleRun: false)) }

    /// Makes the machine query the model.
    mutating func refresh() {
        goalCount += 1
        handle(.await(SyncMachine.Goal(.caughtUp(.zero), number: goalCount)))
    }

    /// Answers all subscriptions and queries.
    mutating func receiveEverything() {
        while !subscriptions.isEmpty || !pages.isEmpty {
            for (request, connection) in subscriptions.take() { answer(.subscribed(request, connection: connection)) }
            for query in pages.take() {
                answer(.page(SyncResponse(.page(Inbox.Page(records: [], startedAt: 1_000_000 + now))), query))
            }
        }
    }

    mutating func losePage() {
        let failure = RequestFailure(.unreachable, "There is no network.")
        for query in pages.take() {
            let content = Inbox.QueryFailure(reason: failure.message, reach: .nothing)
            answer(.page(SyncResponse(.failed(content), failure: failure), query))
        }
    }

    mutating func loseMutation() {
        let failure = RequestFailure(.unreachable, "There is no network.")
        for tickets in mutations.take() {
            let response = SyncResponse(Outbox.MutationResponse.failed(retryAfter: nil), failure: failure)
            answer(.mutations(tickets.map { _ in response }, tickets, refusesBatches: false))
        }
    }

    private mutating func answer(_ answer: SyncMachine.Answer) { handle(.answer(answer, life: machine.life)) }

    mutating func handle(_ input: SyncMachine.Input) {
        let moment = SyncMachine.Moment(now: now, clockOffset: 1_000_000)
        for input in [input, .timePassed] { machine.handle(input, at: moment) }
        while case let actions = machine.nextActions(), !actions.isEmpty {
            for action in actions { if let result = run(action) { machine.handle(.result(result), at: moment) } }
        }
        for action in machine.endTurn() { _ = run(action) }
    }

    // MARK: Actions

    private mutating func run(_ action: SyncMachine.Action) -> SyncMachine.Result? {
        switch action {
        case .takeLease: return .leaseTaken(true)
        case .open:
            openCount += 1
            return .opened(contents)
        case .finish(_, let report): failures.append(report.failure)
        case .countPending:
            countCount += 1
            return .pendingCounted(1, oldest: nil)
        case .countSetAside: return .setAsideCounted((0, nil))
        case .readLog: return .logRead(SyncMachine.NewEvents())
        case .request(.mutations(_, let tickets), _): mutations.append(tickets)
        case .request(.page(let query), _): pages.append(query)
        case .request(.subscribe(let request, let connection), _): subscriptions.append((request, connection))
        case .prepare(let preparations):
            return .prepared(
                preparations.map { Outbox.PreparedRow(slot: $0.slot, state: nil, row: Self.row) })
        case .append(let append): return .appended(append, SyncMachine.Reception())
        case .receivePage(let page): return .pageReceived(page, SyncMachine.Reception())
        case .sweep(let sweep): return .swept(sweep, SyncMachine.Sweeping())
        case .tell(.status(let status)): self.status = status
        default: break
        }
        return nil
    }

    private static let row = Record(model: "Post", values: ["id": .string("1"), "title": .string("Tides")])

    private var contents: SyncMachine.Contents {
        var pending = PendingChanges(after: .start)
        let place = Position(sequence: SequenceNumber(1), chain: 7)
        let change = PendingChange(
            RecordReference(model: "Post", id: "1"), .create,
            mutation: MutationID(incarnation: 1, sequence: place.sequence), chain: place.chain, placeBefore: .start,
            changedFields: ["id", "title"])
        pending.append(LogEntry(place, .change(change)))
        return SyncMachine.Contents(notes: [:], position: .start, pending: pending, marks: [:], tries: [:])
    }
}

extension Array {
    /// Removes and returns all elements.
    fileprivate mutating func take() -> [Element] {
        defer { self = [] }
        return self
    }
}

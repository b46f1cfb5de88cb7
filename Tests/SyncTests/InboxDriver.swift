import TidelogCore

@testable import TidelogClientMachines
@testable import TidelogSync

/// Runs the actions of an inbox, and keeps its notes in memory.
struct InboxDriver {
    var options = Inbox.Options()
    var expressions: [String: String] = [:]
    var inbox: Inbox
    var notes: [String: [UInt8]] = [:]
    /// The requests for subscriptions that have no answer yet.
    var requests: [Inbox.SubscriptionRequest] = []
    var unsubscribed: [Inbox.SubscriptionRequest] = []
    /// The outcome of the next appends.
    var outcome = Inbox.PageOutcome()
    var queries: [Inbox.Query] = []
    var appends: [Inbox.PageAppend] = []
    var sweeps: [Inbox.Sweep] = []
    var reports: [Inbox.Report] = []
    var now: Int64 = 1_000_000

    init(
        _ names: [String] = ["Post"], options: Inbox.Options = Inbox.Options(), start: Bool = true,
        subscribing: Bool = true
    ) {
        self.options = options
        inbox = Inbox(names, notes: [:], options: options)
        inbox.isServerExact = true
        if start { run(inbox.start(subscribing: subscribing, at: now)) }
    }

    /// Starts the engine again, with the notes that were kept.
    mutating func restart(_ names: [String] = ["Post"]) {
        (queries, appends, sweeps, reports, requests) = ([], [], [], [], [])
        inbox = Inbox(names, notes: notes, expressions: expressions, options: options)
        inbox.isServerExact = true
        run(inbox.start(at: now))
        establish()
    }

    /// The models whose subscriptions are requested.
    var subscribed: [String] { requests.map(\.model) }

    mutating func establish() {
        let requests = requests
        self.requests = []
        for request in requests { run(inbox.subscribed(request, at: now)) }
    }

    /// Answers every request for subscriptions with a failure.
    mutating func failSubscriptions(_ failure: Inbox.SubscriptionFailure) {
        let requests = requests
        self.requests = []
        for request in requests { run(inbox.subscriptionFailed(request, failure, at: now, jitter: 5)) }
    }

    /// The server ends the subscriptions of a model.
    mutating func lose(_ model: String) {
        let request = Inbox.SubscriptionRequest(model: model, number: inbox.models[model]?.subscriptionNumber ?? 0)
        run(inbox.subscriptionLost(request, at: now, jitter: 5))
    }

    /// A subscription becomes so old that its loss is no failure.
    mutating func settle() { wait(options.stableAge) }

    /// Answers a query with an error that may pass.
    mutating func fail(reach: Inbox.QueryFailure.Reach = .answer, retryAfter: Int64? = nil) {
        respond(.failed(Inbox.QueryFailure(reason: "broken", reach: reach, retryAfter: retryAfter)))
    }

    mutating func wait(_ milliseconds: Int64) {
        now += milliseconds
        run(inbox.timePassed(to: now, jitter: 5))
    }

    mutating func respond(_ response: Inbox.QueryResponse) {
        run(inbox.pageReceived(response, to: queries.removeFirst(), at: now, jitter: 5))
    }

    mutating func page(_ ids: [String], next: String? = nil, startedAt: Int64 = 500, unusable: Int = 0) {
        let records = ids.map {
            ServerRecord(
                RecordReference(model: "Post", id: RecordID($0)),
                row: Record(model: "Post", values: ["id": .string($0)]),
                version: 1, lastChangedAt: 1)
        }
        respond(.page(Inbox.Page(records: records, nextToken: next, startedAt: startedAt, unusableCount: unusable)))
    }

    mutating func run(_ actions: [Inbox.Action]) {
        for action in actions {
            switch action {
            case .subscribe(let request): requests.append(request)
            case .unsubscribe(let request): unsubscribed.append(request)
            case .query(let query): queries.append(query)
            case .append(let page):
                appends.append(page)
                note(outcome.unstorable.isEmpty ? page.notes : page.notesIfUnstorable)
                run(inbox.appended(page, outcome, at: now))
            case .sweep(let sweep):
                sweeps.append(sweep)
                note(sweep.notes)
                run(inbox.swept(sweep, inDoubt: [], at: now))
            case .refreshSession, .get, .settle: break
            case .report(let report): reports.append(report)
            }
        }
    }

    private mutating func note(_ new: [String: [UInt8]?]) { for (name, value) in new { notes[name] = value } }
}

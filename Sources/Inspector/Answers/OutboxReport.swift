internal import TidelogCore
internal import TidelogRecordText
internal import TidelogSync

/// The changes that no server has taken, and whether they can be decided here.
struct OutboxReport: Encodable, Sendable {
    /// The first changes that wait, in the order in which they are sent, and then the first set-aside changes.
    let entries: [Entry]
    /// How many changes there are.
    let counts: Counts
    /// Whether the store is a server's own, which sends nothing.
    let isServers: Bool
    /// The reason why nothing can be retried or discarded here; absent if it can.
    let obstacle: String?

    /// How many changes wait to be sent or answered, and how many a server refused.
    struct Counts: Encodable, Sendable {
        let waiting: Int
        let setAside: Int
    }

    /// A change of a record.
    struct Entry: Encodable, Sendable {
        /// The number by which the change is named.
        let sequence: UInt64
        let model: String
        let key: [String]
        /// `create`, `update` or `delete`.
        let operation: String
        /// `pending`, `inFlight` or `setAside`.
        let state: String
        let attempts: Int
        /// The server's message, and its name for the kind of error.
        let reason: String?
        let errorType: String?
        /// The server's version that the change started from.
        let baseVersion: UInt64?
    }

    /// The most changes of each kind in a report.
    private static let limit = 200

    static func make(of store: InspectedStore) async throws -> OutboxReport {
        try await store.whileOpen { open in
            let isServers = try store.isServers
            let entries = isServers ? [] : try await SyncOutbox(open).entries()
            let waiting = entries.filter { $0.state != .setAside }
            let setAside = entries.filter { $0.state == .setAside }
            return OutboxReport(
                entries: (waiting.prefix(limit) + setAside.prefix(limit)).map { Entry($0) },
                counts: Counts(waiting: waiting.count, setAside: setAside.count), isServers: isServers,
                obstacle: try store.obstacle())
        }
    }
}

extension OutboxReport.Entry {
    fileprivate init(_ entry: OutboxEntry) {
        sequence = entry.sequence.value
        model = entry.model
        key = entry.id.components.map(\.text)
        operation = entry.operation.rawValue
        state = entry.state.rawValue
        attempts = entry.attempts
        reason = entry.reason?.withEscapedControls
        errorType = entry.errorType?.withEscapedControls
        baseVersion = entry.baseVersion
    }
}

/// The result of a decision about a set-aside change.
struct DecisionReport: Encodable, Sendable {
    /// Whether there was such a change.
    let isDecided: Bool
}

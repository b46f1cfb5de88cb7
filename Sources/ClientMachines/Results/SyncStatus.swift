public import TidelogFoundation

/// The status of a store's sync at one moment.
public struct SyncStatus: Sendable {
    /// The states of an engine.
    public enum State: String, Sendable, Hashable {
        /// The engine has no endpoint. The store stays on this device.
        case localOnly
        /// The engine was not started, or was stopped.
        case stopped
        /// Another engine syncs the store. This engine begins when that engine ends.
        case following
        /// The engine tries to reach the server.
        case connecting
        /// The first queries are in progress.
        case querying
        /// The store has the server's records, and changes go in both directions as long as the server can be reached.
        case ready
        /// The store failed. The engine starts again at ``SyncStatus/nextAttempt``.
        case waiting
        /// The store is suspended. The engine continues when the store is resumed.
        case suspended
    }

    /// The status of one model.
    public struct ModelStatus: Sendable, Hashable {
        /// The name of the model.
        public let name: String
        /// Whether the store has everything that the server has of the model, and later changes arrive at once.
        public package(set) var isSynced = false
        /// How many records arrived since the engine was started.
        public package(set) var received = 0
        /// The last error of the model's queries, if they fail for a reason that belongs to this model; `nil` after an answer.
        public package(set) var lastError: String?
        /// How often the model's queries have failed since the last answer.
        public package(set) var failedAttempts = 0
        /// The time at which the query is tried again after such an error.
        public package(set) var nextAttempt: Date?
        /// Whether the model is queried at intervals, because the server does not push its changes.
        public package(set) var isQueriedAtIntervals = false
        /// Whether the model was queried since the engine was started.
        var wasQueried = false
    }

    /// The engine's state.
    public package(set) var state: State
    /// The protocol between the engine and the server; `automatic` until the server has decided.
    public package(set) var `protocol` = SyncProtocol.automatic
    /// Whether the server could be reached at the last try.
    public package(set) var isOnline = false
    /// Whether the server accepted the credentials at the last try. Without a session the engine waits.
    public package(set) var hasSession = true
    /// The models. Parents come before their children.
    public package(set) var models: [ModelStatus]
    /// How many local changes the server accepted since the engine was started.
    public package(set) var sent = 0
    /// The largest number of local changes that the engine sends in one request. It is 1 from the time at which the server has
    /// refused a request with several changes.
    public package(set) var mutationsPerRequest = MutationBatches.defaultSize
    /// How many local changes wait for the server.
    public package(set) var pending = 0
    /// How many of the waiting changes the server could not make so far. The engine asks again, and ``SyncOutbox`` lists the
    /// errors.
    public package(set) var failing = 0
    /// The time of the oldest waiting change; `nil` if no change waits.
    public package(set) var oldestPending: Date?
    /// How many local changes the server refused permanently.
    public package(set) var setAside = 0
    /// The time of the oldest set-aside change; `nil` if there is none, or if compaction has dropped its event.
    public package(set) var oldestSetAside: Date?
    /// The last failure since the engine was started; `nil` if there was none.
    public package(set) var lastError: SyncError?
    /// The time at which the engine tries again after a failure; `nil` if no try is due.
    public package(set) var nextAttempt: Date?

    package init(_ state: State, models: [String]) {
        self.state = state
        self.models = models.map { ModelStatus(name: $0) }
    }

    /// Whether the server pushes no changes, so that the engine queries every model at intervals. The engine tries to open a
    /// WebSocket again from time to time.
    public var isQueryingAtIntervals: Bool { !models.isEmpty && models.allSatisfy(\.isQueriedAtIntervals) }

    /// How many records arrived since the engine was started.
    public var received: Int { models.reduce(0) { $0 + $1.received } }

    /// The fraction of the work that is done, from 0 to 1, for a progress bar. Each queried model is one step. All local
    /// changes together are one more step.
    public var fractionCompleted: Double {
        let queried = Double(models.count { $0.wasQueried })
        let changes = pending == 0 ? 1 : Double(sent) / Double(sent + pending)
        // Changes are sent after the queries.
        return (queried + (state == .ready ? changes : 0)) / Double(models.count + 1)
    }
}

// The machine itself does not import Foundation.
extension SyncMachine {
    /// The date of a time of the inputs, by the device's clock.
    func date(of time: Int64) -> Date { Date(timeIntervalSince1970: Double(time + moment.clockOffset) / 1_000) }

    /// The date that is this many microseconds after 1970-01-01T00:00:00Z.
    func date(microseconds: Int64) -> Date { Date(timeIntervalSince1970: Double(microseconds) / 1_000_000) }
}

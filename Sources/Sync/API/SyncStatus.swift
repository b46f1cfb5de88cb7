#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The state of a store's sync at one moment.
public struct SyncStatus: Sendable {
    /// The states of an engine.
    public enum State: String, Sendable, Hashable {
        /// The engine has no endpoint: the store is on this device alone.
        case localOnly
        /// The engine was not started, or was stopped.
        case stopped
        /// Another engine syncs the store. This one begins when that one ends.
        case following
        /// The engine looks for the server.
        case connecting
        /// The first queries are on their way.
        case querying
        /// The server's records are here, and changes go both ways as long as the server can be reached.
        case ready
        /// The store failed. The engine starts again at ``SyncStatus/nextAttempt``.
        case waiting
    }

    /// One model.
    public struct ModelStatus: Sendable, Hashable {
        /// The name of the model.
        public let name: String
        /// Whether everything that the server has of the model is here, and later changes arrive at once.
        public internal(set) var isSynced = false
        /// How many records arrived since the engine was started.
        public internal(set) var received = 0
        /// Whether the model was queried since the engine was started.
        var wasQueried = false
    }

    /// The engine's state.
    public internal(set) var state: State
    /// Whether the server could be reached the last time that it was asked.
    public internal(set) var isOnline = false
    /// Whether the server accepted the credentials the last time that it was asked. Without a session everything waits.
    public internal(set) var hasSession = true
    /// The models, parents first.
    public internal(set) var models: [ModelStatus]
    /// How many local changes the server took since the engine was started.
    public internal(set) var sent = 0
    /// How many local changes wait for the server.
    public internal(set) var pending = 0
    /// When the oldest change that waits was made; `nil` if none waits.
    public internal(set) var oldestPending: Date?
    /// How many local changes the server refused for good.
    public internal(set) var setAside = 0
    /// When the oldest change that was set aside was made; `nil` if none was, or if compaction has dropped its event.
    public internal(set) var oldestSetAside: Date?
    /// The last failure since the engine was started; `nil` if there was none.
    public internal(set) var lastError: SyncError?
    /// When the engine tries again what failed; `nil` if it waits for nothing.
    public internal(set) var nextAttempt: Date?

    init(_ state: State, models: [String]) {
        self.state = state
        self.models = models.map { ModelStatus(name: $0) }
    }

    /// How many records arrived since the engine was started.
    public var received: Int { models.reduce(0) { $0 + $1.received } }

    /// The part of the work that is done, from 0 to 1, for a progress bar: each model that was queried is one step, and the
    /// local changes are one more.
    public var fractionCompleted: Double {
        let queried = Double(models.count { $0.wasQueried })
        let changes = pending == 0 ? 1 : Double(sent) / Double(sent + pending)
        // Changes are sent after the queries.
        return (queried + (state == .ready ? changes : 0)) / Double(models.count + 1)
    }
}

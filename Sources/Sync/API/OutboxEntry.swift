@_spi(Adapters) public import TidelogCore

/// A local change that no server has accepted yet.
public struct OutboxEntry: Sendable, Hashable {
    /// The operations that a server can be asked to perform.
    public enum Operation: String, Sendable, Hashable {
        case create, update, delete
    }

    /// The states of a change.
    public enum State: String, Sendable, Hashable {
        /// The change waits to be sent, or to be sent again after an error that may pass.
        case pending
        /// The change was sent or is about to be sent, and has no answer yet.
        case inFlight
        /// The server refused the change. It waits for ``SyncOutbox/retry(_:)`` or ``SyncOutbox/discard(_:)``.
        case setAside
    }

    /// The sequence number of the change's first event, which identifies the change.
    public let sequence: SequenceNumber
    /// The name of the record's model.
    public let model: String
    /// The record's id.
    public let id: RecordID
    /// The operation that the server is asked to perform.
    public let operation: Operation
    /// The state of the change.
    public let state: State
    /// How often the change was tried: once, and one more time after each conflict and each error of the server.
    public let attempts: Int
    /// The server's latest message about a change that it refused or could not make; `nil` for other changes.
    public let reason: String?
    /// The server's name for the kind of that error; `nil` for other changes.
    public let errorType: String?
    /// The server's version that the change started from; `nil` if it had none.
    public let baseVersion: UInt64?
}

extension OutboxEntry {
    init(_ mark: SentMark, _ tries: FailedTries?, of reference: RecordReference) {
        sequence = mark.first
        model = reference.model
        id = reference.id
        // A change that failed waits for its next try most of the time.
        (operation, state) = (Operation(mark.kind), tries == nil ? .inFlight : .pending)
        attempts = Int(mark.attempt) - 1 + max(Int(tries?.count ?? 1), 1)
        reason = tries?.reason.message
        errorType = tries?.reason.errorType
        baseVersion = mark.baseVersion
    }

    init(_ fold: Fold, _ kind: PendingChange.Kind, _ server: ServerState?) {
        sequence = fold.first
        model = fold.reference.model
        id = fold.reference.id
        operation = Operation(kind)
        state = .pending
        attempts = 0
        (reason, errorType) = (nil, nil)
        baseVersion = kind == .create ? nil : server.flatMap { $0.baseVersion ?? $0.version }
    }

    init(_ change: SetAsideChange) {
        sequence = change.first
        model = change.reference.model
        id = change.reference.id
        operation = Operation(change.kind)
        state = .setAside
        attempts = Int(change.attempts)
        reason = change.reason
        errorType = change.errorType
        baseVersion = change.baseVersion
    }
}

extension OutboxEntry.Operation {
    fileprivate init(_ kind: PendingChange.Kind) {
        self =
            switch kind {
            case .create: .create
            case .update: .update
            case .delete: .delete
            }
    }
}

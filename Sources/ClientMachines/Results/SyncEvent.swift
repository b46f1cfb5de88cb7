public import TidelogSchema

/// An event of a ``SyncEngine``: a step that it did or a fact that it found out. The events have the names of Amplify's hub.
///
/// Each start of an engine gives the following events in this order: `networkStatus` with `false`, `outboxStatus`,
/// `networkStatus` with `true` when the server has answered, `subscriptionsEstablished`, `syncQueriesStarted`, `modelSynced`
/// for each model, `syncQueriesReady`, `syncStarted`, `ready`.
public enum SyncEvent: Sendable {
    /// Whether the server can be reached.
    case networkStatus(active: Bool)
    /// Whether local changes wait for the server. The event comes at each start, and after changes were made or answered.
    case outboxStatus(isEmpty: Bool)
    /// The server now sends the changes of every model, except for models whose subscriptions it refuses.
    case subscriptionsEstablished
    /// The first queries begin.
    case syncQueriesStarted(models: [String])
    /// The store has everything that the server had of a model, and the records can be queried.
    case modelSynced(ModelSyncedEvent)
    /// Every model was queried.
    case syncQueriesReady
    /// Local changes are sent from now on.
    case syncStarted
    /// The store has the server's records, and changes go in both directions.
    case ready
    /// A local change is durable in the log and waits for the server.
    case outboxMutationEnqueued(OutboxMutationEvent)
    /// The server answered a local change, and the answer is in the log.
    case outboxMutationProcessed(OutboxMutationEvent)
    /// A change from elsewhere is now in the store. Records of queries for all records give no such event; ``ModelSyncedEvent``
    /// counts them.
    case syncReceived(OutboxMutationEvent)
    /// The server refused a local change because its condition was false on the server. The change was set aside. The event
    /// has the server's record, and the sequence number of the change.
    case conditionalSaveFailed(OutboxMutationEvent)
    /// A local change gave way to the server's record in a conflict: ``SyncConfiguration/conflictHandler`` decided so, or is
    /// `applyRemote`. The change was not made.
    case conflict(SyncConflictEvent)
    /// Something failed. The engine continues, or tries again later. ``SyncConfiguration/errorHandler`` gets the same error.
    case failed(SyncError)
    /// The engine was stopped.
    case stopped
    /// The receiver was too slow. This many events were dropped at this point.
    case missed(count: Int)

    /// The event's name. If Amplify has the event, this is Amplify's name.
    public var name: String {
        switch self {
        case .networkStatus: "networkStatus"
        case .outboxStatus: "outboxStatus"
        case .subscriptionsEstablished: "subscriptionsEstablished"
        case .syncQueriesStarted: "syncQueriesStarted"
        case .modelSynced: "modelSynced"
        case .syncQueriesReady: "syncQueriesReady"
        case .syncStarted: "syncStarted"
        case .ready: "ready"
        case .outboxMutationEnqueued: "outboxMutationEnqueued"
        case .outboxMutationProcessed: "outboxMutationProcessed"
        case .syncReceived: "syncReceived"
        case .conditionalSaveFailed: "conditionalSaveFailed"
        case .conflict: "conflict"
        case .failed: "failed"
        case .stopped: "stopped"
        case .missed: "missed"
        }
    }
}

/// The result of a query of a model that has ended.
public struct ModelSyncedEvent: Sendable, Hashable {
    /// The name of the model.
    public let modelName: String
    /// Whether the query asked for all records.
    public let isFullSync: Bool
    /// Whether the query asked for the changes since the last sync.
    public let isDeltaSync: Bool
    /// How many records are new in the store.
    public let added: Int
    /// How many records of the store have changed.
    public let updated: Int
    /// How many records of the store were removed.
    public let deleted: Int
    /// Whether the server has more records than ``SyncConfiguration/syncMaxRecords`` allows.
    public let isTruncated: Bool
}

/// A change of one record.
public struct OutboxMutationEvent: Sendable, Hashable {
    /// The record and the server's metadata of it.
    public struct Element: Sendable, Hashable {
        /// The record's id.
        public let id: RecordID
        /// The record; `nil` if the change deletes it.
        public let model: Record?
        /// The server's version; `nil` before the server has answered.
        public let version: UInt64?
        /// When the record last changed, in milliseconds since 1970-01-01T00:00:00Z by the server's clock; `nil` before the
        /// server has answered.
        public let lastChangedAt: Int64?
        /// Whether the record is deleted on the server; `nil` before the server has answered.
        public let deleted: Bool?
    }

    /// The name of the record's model.
    public let modelName: String
    /// The record and the server's metadata of it.
    public let element: Element
    /// The event of the log with the local change, or with the last of several changes that were sent as one; `nil` if the
    /// change was made elsewhere.
    public let sequence: SequenceNumber?
}

/// A local change that gave way to the server's record.
public struct SyncConflictEvent: Sendable, Hashable {
    /// The values that the change would have set, by the names of the fields; `nil` for null. A deletion has none.
    public let local: [String: FieldValue?]
    /// Whether the change would have deleted the record.
    public let isDeletion: Bool
    /// The server's record, which is in the store now.
    public let remote: OutboxMutationEvent

    init(_ answer: Outbox.Answer, _ record: ServerRecord) {
        (local, isDeletion) = (answer.mutation.fields, answer.mutation.kind == .delete)
        remote = OutboxMutationEvent(record, answering: answer.mutation.id.sequence)
    }
}

extension OutboxMutationEvent {
    /// A local change that the server has not answered, or whose record the server does not have.
    package init(_ reference: RecordReference, local record: Record?, sequence: SequenceNumber) {
        modelName = reference.model
        element = Element(id: reference.id, model: record, version: nil, lastChangedAt: nil, deleted: nil)
        self.sequence = sequence
    }

    /// A record as the server has it.
    ///
    /// - Parameter sequence: The event with the local change that the server answered; `nil` for a change from elsewhere.
    package init(_ record: ServerRecord, answering sequence: SequenceNumber? = nil) {
        self.sequence = sequence
        modelName = record.reference.model
        element = Element(
            id: record.reference.id, model: record.row, version: record.version, lastChangedAt: record.lastChangedAt,
            deleted: record.isDeleted)
    }
}

/// An event with its data.
public struct HubPayload: Sendable {
    /// The event's name.
    public let eventName: HubPayloadEventName
    /// A text about the context, if there is one.
    public let context: String?
    /// The values of the event, for example a ``NetworkStatusEvent``.
    public let data: (any Sendable)?

    /// An event with these values.
    public init(eventName: HubPayloadEventName, context: String? = nil, data: (any Sendable)? = nil) {
        self.eventName = eventName
        self.context = context
        self.data = data
    }

    /// The names of the events.
    public enum EventName {
        /// The events of the sync engine.
        public enum DataStore {
            /// The data is a ``NetworkStatusEvent``.
            public static let networkStatus = "DataStore.networkStatus"
            /// The event has no data.
            public static let subscriptionsEstablished = "DataStore.subscriptionEstablished"
            /// The data is a ``SyncQueriesStartedEvent``.
            public static let syncQueriesStarted = "DataStore.syncQueriesStarted"
            /// The data is a ``ModelSyncedEvent``.
            public static let modelSynced = "DataStore.modelSynced"
            /// The event has no data.
            public static let syncQueriesReady = "DataStore.syncQueriesReady"
            /// The event has no data.
            public static let syncStarted = "DataStore.syncStarted"
            /// The event has no data.
            public static let ready = "DataStore.ready"
            /// The data is an ``OutboxStatusEvent``.
            public static let outboxStatus = "DataStore.outboxStatus"
            /// The data is an ``OutboxMutationEvent``.
            public static let outboxMutationEnqueued = "DataStore.outboxMutationEnqueued"
            /// The data is an ``OutboxMutationEvent``.
            public static let outboxMutationProcessed = "DataStore.outboxMutationProcessed"
            /// The data is a ``MutationEvent`` with the record that the server has now.
            public static let syncReceived = "DataStore.syncReceived"
            /// The data is a ``MutationEvent`` with the local change that the server refused.
            public static let conditionalSaveFailed = "DataStore.conditionalSaveFailed"
        }

        /// The events that the app's own sign-in code dispatches.
        public enum Auth {
            /// A user signed in.
            public static let signedIn = "Auth.signedIn"
            /// The user signed out.
            public static let signedOut = "Auth.signedOut"
            /// The user's session ended.
            public static let sessionExpired = "Auth.sessionExpired"
        }
    }
}

/// The event that says whether the server can be reached.
public struct NetworkStatusEvent: Sendable, Hashable {
    /// Whether the server can be reached.
    public let active: Bool
}

/// The event that says that the first queries begin.
public struct SyncQueriesStartedEvent: Sendable, Hashable {
    /// The names of the models.
    public let models: [String]
}

/// The event that says whether local changes wait for the server.
public struct OutboxStatusEvent: Sendable, Hashable {
    /// Whether no changes wait.
    public let isEmpty: Bool
}

extension OpenedStore.RegisteredModels {
    /// The payload for an event of the engine; `nil` for an event that Amplify does not have.
    func payload(of event: SyncEvent) async -> HubPayload? {
        typealias Name = HubPayload.EventName.DataStore
        return switch event {
        case .networkStatus(let active):
            HubPayload(eventName: Name.networkStatus, data: NetworkStatusEvent(active: active))
        case .outboxStatus(let isEmpty):
            HubPayload(eventName: Name.outboxStatus, data: OutboxStatusEvent(isEmpty: isEmpty))
        case .subscriptionsEstablished: HubPayload(eventName: Name.subscriptionsEstablished)
        case .syncQueriesStarted(let models):
            HubPayload(eventName: Name.syncQueriesStarted, data: SyncQueriesStartedEvent(models: models))
        case .modelSynced(let synced): HubPayload(eventName: Name.modelSynced, data: synced)
        case .syncQueriesReady: HubPayload(eventName: Name.syncQueriesReady)
        case .syncStarted: HubPayload(eventName: Name.syncStarted)
        case .ready: HubPayload(eventName: Name.ready)
        case .outboxMutationEnqueued(let change):
            HubPayload(eventName: Name.outboxMutationEnqueued, data: OutboxMutationEvent(change, self))
        case .outboxMutationProcessed(let change):
            HubPayload(eventName: Name.outboxMutationProcessed, data: OutboxMutationEvent(change, self))
        case .syncReceived(let change):
            HubPayload(eventName: Name.syncReceived, data: await MutationEvent(change, self))
        case .conditionalSaveFailed(let change):
            HubPayload(eventName: Name.conditionalSaveFailed, data: await MutationEvent(change, self))
        case .conflict, .failed, .stopped, .missed: nil
        }
    }
}

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

/// The event for a local change that waits for the server, or that the server has accepted.
public struct OutboxMutationEvent: Sendable {
    /// The record and the server's metadata of it.
    public struct OutboxMutationEventElement: Sendable {
        /// The record; `nil` if the change deletes it.
        public let model: (any Model)?
        /// The server's version; `nil` before the server has answered.
        public let version: Int?
        /// The time of the record's last change, in milliseconds since 1970 by the server's clock; `nil` before the server has
        /// answered.
        public let lastChangedAt: Int64?
        /// Whether the record is deleted on the server; `nil` before the server has answered.
        public let deleted: Bool?
    }

    /// The name of the record's model.
    public let modelName: String
    /// The record and the server's metadata of it.
    public let element: OutboxMutationEventElement
}

extension RegisteredModels {
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
            HubPayload(eventName: Name.outboxMutationEnqueued, data: mutation(change))
        case .outboxMutationProcessed(let change):
            HubPayload(eventName: Name.outboxMutationProcessed, data: mutation(change))
        case .syncReceived(let change):
            HubPayload(eventName: Name.syncReceived, data: await MutationEvent(change, self))
        case .conditionalSaveFailed(let change):
            HubPayload(eventName: Name.conditionalSaveFailed, data: await MutationEvent(change, self))
        case .conflict, .failed, .stopped, .missed: nil
        }
    }

    private func mutation(_ event: TidelogSync.OutboxMutationEvent) -> OutboxMutationEvent {
        let element = event.element
        return OutboxMutationEvent(
            modelName: event.modelName,
            element: OutboxMutationEvent.OutboxMutationEventElement(
                model: element.model.flatMap { try? value(of: $0) }, version: element.version.map { Int($0) },
                lastChangedAt: element.lastChangedAt, deleted: element.deleted))
    }
}

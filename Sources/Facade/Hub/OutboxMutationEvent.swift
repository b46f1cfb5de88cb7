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

    init(_ event: TidelogSync.OutboxMutationEvent, _ models: OpenedStore.RegisteredModels) {
        let element = event.element
        modelName = event.modelName
        self.element = OutboxMutationEventElement(
            model: element.model.flatMap { try? models.value(of: $0) }, version: element.version.map { Int($0) },
            lastChangedAt: element.lastChangedAt, deleted: element.deleted)
    }
}

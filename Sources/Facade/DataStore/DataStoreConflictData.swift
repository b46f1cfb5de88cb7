/// A handler of conflicts. It receives both records, and calls its second argument once, immediately or later.
public typealias DataStoreConflictHandler =
    @Sendable (DataStoreConflictData, @escaping DataStoreConflictHandlerResolver) -> Void

/// Receives the decision about a conflict. Only the first decision counts.
public typealias DataStoreConflictHandlerResolver = @Sendable (DataStoreConflictHandlerResult) -> Void

/// A conflict: a local change and the server's record, which has changed since the local change began.
public struct DataStoreConflictData: Sendable {
    /// The record on this device. If the local change deletes it, this is the record before the deletion.
    public let local: any Model
    /// The record on the server.
    public let remote: any Model
}

/// The decision about a conflict.
public enum DataStoreConflictHandlerResult: Sendable {
    /// Keeps the server's record.
    case applyRemote
    /// Sends the local change again.
    case retryLocal
    /// Sends the fields of this model, under the id of the record in conflict.
    case retry(any Model)
}

extension ConflictData {
    /// The decision of `handler`. The record waits until there is a decision. All other records are synced.
    func resolution(
        by handler: DataStoreConflictHandler, _ models: OpenedStore.RegisteredModels
    ) async throws -> ConflictResolution {
        let remote = try models.value(of: remote)
        let local = try (local ?? base).map { try models.value(of: $0) } ?? remote
        let data = DataStoreConflictData(local: local, remote: remote)
        let (decisions, continuation) = AsyncStream<DataStoreConflictHandlerResult>.makeStream(
            bufferingPolicy: .bufferingOldest(1))
        handler(data) { continuation.yield($0) }
        for await decision in decisions {
            return switch decision {
            case .applyRemote: .applyRemote
            case .retryLocal: .retryLocal
            case .retry(let model): .retry(try models.record(of: model))
            }
        }
        // The task was cancelled because the engine was stopped. The engine ignores this value.
        return .applyRemote
    }
}

/// Decides about a conflict: it gets both records, and calls the second argument once, now or later.
public typealias DataStoreConflictHandler =
    @Sendable (DataStoreConflictData, @escaping DataStoreConflictHandlerResolver) -> Void

/// Takes the decision about a conflict. Of several decisions the first one counts.
public typealias DataStoreConflictHandlerResolver = @Sendable (DataStoreConflictHandlerResult) -> Void

/// A local change and the server's record, which had changed since the local change began.
public struct DataStoreConflictData: Sendable {
    /// The record as it is here; if the local change deletes it, as it was before.
    public let local: any Model
    /// The record on the server.
    public let remote: any Model
}

/// The decision about a conflict.
public enum DataStoreConflictHandlerResult: Sendable {
    /// The server's record counts.
    case applyRemote
    /// The local change is sent again.
    case retryLocal
    /// The fields of this model are sent, under the id of the record that the conflict is about.
    case retry(any Model)
}

extension ConflictData {
    /// The decision of `handler`. This record waits until there is one; other records are synced.
    func resolution(
        by handler: DataStoreConflictHandler, _ models: RegisteredModels
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

import TidelogSynchronization

/// A request for a subscription to the changes of a model: `.subscription(of: Post.self, type: .onCreate)`.
public struct GraphQLSubscriptionRequest<M: Model>: Sendable {
    let subscription: ServerSubscription<M>

    /// Makes a request for the changes of this kind.
    public static func subscription(of modelType: M.Type, type: GraphQLSubscriptionType) -> Self {
        switch type {
        case .onCreate: Self(subscription: .onCreate(modelType))
        case .onUpdate: Self(subscription: .onUpdate(modelType))
        case .onDelete: Self(subscription: .onDelete(modelType))
        }
    }
}

/// The kinds of changes that can be subscribed to.
public enum GraphQLSubscriptionType: Sendable, Hashable {
    /// New records.
    case onCreate
    /// Changes of records.
    case onUpdate
    /// Deletions of records. The subscription gives each record as it was before its deletion.
    case onDelete
}

extension GraphQLSubscriptionRequest {
    /// The elements of a subscription: its beginning, its records, and its end.
    final class Reader: Sendable {
        private enum Step { case new, open, ended }

        private let records: SequenceReader<ServerEvents<M>>
        private let step = Mutex(Step.new)

        init(_ events: ServerEvents<M>) { records = SequenceReader(events) }

        func next() async throws -> GraphQLSubscriptionEvent<M>? {
            let former = step.withLock { step in
                defer { if step == .new { step = .open } }
                return step
            }
            if former == .new { return .connection(.connected) }
            guard former == .open else { return nil }
            do {
                switch try await records.next() {
                case .present(let value, _): return .data(.success(value))
                case .deleted(_, _, let last?): return .data(.success(last))
                case .deleted(let id, _, nil):
                    let message = "The server deleted the record \(id) and did not send its fields."
                    return .data(.failure(.error([GraphQLError(message: message)])))
                case nil: break
                }
            } catch let error as GraphQLClientError where !error.errors.isEmpty {
                return .data(.failure(.error(error.errors)))
            }
            step.withLock { $0 = .ended }
            return .connection(.disconnected)
        }
    }
}

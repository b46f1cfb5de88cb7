import Synchronization

/// The server's answer: what was asked for, or errors.
public typealias GraphQLResponse<R> = Result<R, GraphQLResponseError<R>>

/// The server's errors in place of an answer, or beside one.
public enum GraphQLResponseError<R: Sendable>: AmplifyError, CustomStringConvertible {
    /// The server refused the request.
    case error([GraphQLError])
    /// The server could not give a part of what was asked for.
    case partial(R, [GraphQLError])

    /// The errors.
    public var errors: [GraphQLError] {
        switch self {
        case .error(let errors), .partial(_, let errors): errors
        }
    }

    /// Nothing is beneath.
    public var underlyingError: (any Error)? { nil }

    /// The messages of the errors.
    public var description: String { errors.map(\.message).joined(separator: "\n") }
}

/// An error of the server.
public typealias GraphQLError = TidelogSync.GraphQLResponseError

/// A server that calls of ``Amplify/API`` ask.
struct APIServer: Sendable {
    let client: GraphQLClient
    let models: RegisteredModels
}

/// The elements of a subscription: that it has begun, its records, and that it has ended.
final class SubscriptionReader<M: Model>: Sendable {
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

import Synchronization

/// The server's response: the requested value, or errors.
public typealias GraphQLResponse<R> = Result<R, GraphQLResponseError<R>>

/// The server's errors, with or without a value.
public enum GraphQLResponseError<R: Sendable>: AmplifyError, CustomStringConvertible {
    /// The server refused the request.
    case error([GraphQLError])
    /// The server could not return a part of the requested value.
    case partial(R, [GraphQLError])

    /// The errors.
    public var errors: [GraphQLError] {
        switch self {
        case .error(let errors), .partial(_, let errors): errors
        }
    }

    /// There is no underlying error.
    public var underlyingError: (any Error)? { nil }

    /// The messages of the errors.
    public var description: String { errors.map(\.message).joined(separator: "\n") }
}

/// An error of the server.
public typealias GraphQLError = TidelogSync.GraphQLResponseError

/// The server for calls of ``Amplify/API``.
struct APIServer: Sendable {
    let client: GraphQLClient
    let models: RegisteredModels
}

/// The elements of a subscription: its beginning, its records, and its end.
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

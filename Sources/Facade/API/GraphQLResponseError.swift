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

/// Asks the server at once, past the store: every call needs the network, and stores nothing.
public struct APICategory: Sendable {
    /// The records that `request` asks for, or the server's errors.
    ///
    /// - Throws: ``APIError`` if the server gave no answer to the request; ``DataStoreError`` with the code `notConfigured`.
    public func query<R: Sendable>(request: GraphQLRequest<R>) async throws -> GraphQLResponse<R> {
        try await answer(request)
    }

    /// The record that `request` changed, or the server's errors.
    ///
    /// - Throws: As ``query(request:)``.
    @discardableResult
    public func mutate<R: Sendable>(request: GraphQLRequest<R>) async throws -> GraphQLResponse<R> {
        try await answer(request)
    }

    /// ``query(request:)``, with a closure.
    @discardableResult
    public func query<R: Sendable>(
        request: GraphQLRequest<R>, listener: @escaping @Sendable (Result<GraphQLResponse<R>, APIError>) -> Void
    ) -> GraphQLOperation {
        operation(request, listener)
    }

    /// ``mutate(request:)``, with a closure.
    @discardableResult
    public func mutate<R: Sendable>(
        request: GraphQLRequest<R>, listener: @escaping @Sendable (Result<GraphQLResponse<R>, APIError>) -> Void
    ) -> GraphQLOperation {
        operation(request, listener)
    }

    /// The changes that `request` subscribes to, from the first element on, which says that the server has begun.
    public func subscribe<M: Model>(
        request: GraphQLSubscriptionRequest<M>
    ) -> AmplifyAsyncThrowingSequence<GraphQLSubscriptionEvent<M>> {
        AmplifyAsyncThrowingSequence {
            let server = try await Configuration.shared.opened().server()
            let reader = SubscriptionReader(try await server.client.subscribe(request.subscription))
            return { try await reader.next() }
        }
    }

    private func answer<R: Sendable>(_ request: GraphQLRequest<R>) async throws -> GraphQLResponse<R> {
        let server = try await Configuration.shared.opened().server()
        do {
            return .success(try await request.send(server))
        } catch let error as GraphQLClientError {
            guard !error.errors.isEmpty else { throw error }
            return .failure(.error(error.errors))
        } catch let error as GraphQLResponseError<R> {
            return .failure(error)
        }
    }

    private func operation<R: Sendable>(
        _ request: GraphQLRequest<R>, _ listener: @escaping @Sendable (Result<GraphQLResponse<R>, APIError>) -> Void
    ) -> GraphQLOperation {
        GraphQLOperation(
            task: Task {
                do {
                    listener(.success(try await answer(request)))
                } catch {
                    listener(.failure(error as? APIError ?? APIError(.other, "The call failed.", cause: error)))
                }
            })
    }
}

/// A call of ``Amplify/API`` that is under way.
public struct GraphQLOperation: Sendable {
    let task: Task<Void, Never>

    /// Gives up. The closure of the call gets an error.
    public func cancel() { task.cancel() }
}

/// A failure of a call that the server did not answer.
public typealias APIError = GraphQLClientError

extension GraphQLClientError: AmplifyError {
    /// The failure beneath, if there is one.
    public var underlyingError: (any Error)? { cause }

    /// There is no ``AWSAPIPlugin``, or the configuration file names no server.
    static let noServer = GraphQLClientError(
        .invalidConfiguration, "There is no server. Add an AWSAPIPlugin, and configure Amplify with a file.")
}

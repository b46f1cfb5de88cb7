/// Calls of the server's API that do not use the store. Every call needs the network, and the store keeps none of its results.
public struct APICategory: Sendable {
    /// Returns the records that `request` asks for, or the server's errors.
    ///
    /// - Throws: ``APIError`` if the server gave no answer to the request; ``DataStoreError`` with the code `notConfigured`.
    public func query<R: Sendable>(request: GraphQLRequest<R>) async throws -> GraphQLResponse<R> {
        try await answer(request)
    }

    /// Makes the change of `request`, and returns the changed record or the server's errors.
    ///
    /// - Throws: The same errors as ``query(request:)``.
    @discardableResult
    public func mutate<R: Sendable>(request: GraphQLRequest<R>) async throws -> GraphQLResponse<R> {
        try await answer(request)
    }

    /// Does the same as ``query(request:)``, with a closure.
    @discardableResult
    public func query<R: Sendable>(
        request: GraphQLRequest<R>, listener: @escaping @Sendable (Result<GraphQLResponse<R>, APIError>) -> Void
    ) -> GraphQLOperation {
        operation(request, listener)
    }

    /// Does the same as ``mutate(request:)``, with a closure.
    @discardableResult
    public func mutate<R: Sendable>(
        request: GraphQLRequest<R>, listener: @escaping @Sendable (Result<GraphQLResponse<R>, APIError>) -> Void
    ) -> GraphQLOperation {
        operation(request, listener)
    }

    /// Returns the changes that `request` subscribes to. The first element says that the server has begun the subscription.
    public func subscribe<M: Model>(
        request: GraphQLSubscriptionRequest<M>
    ) -> AmplifyAsyncThrowingSequence<GraphQLSubscriptionEvent<M>> {
        AmplifyAsyncThrowingSequence {
            let server = try await Configuration.shared.opened().server()
            let reader = GraphQLSubscriptionRequest<M>.Reader(try await server.client.subscribe(request.subscription))
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
                    listener(.failure(error as? APIError ?? APIError(.other, "The call failed.", underlying: error)))
                }
            })
    }
}

/// A running call of ``Amplify/API``.
public struct GraphQLOperation: Sendable {
    let task: Task<Void, Never>

    /// Cancels the call. Its closure receives an error.
    public func cancel() { task.cancel() }
}

/// The error of a call that the server did not answer.
public typealias APIError = GraphQLClientError

extension GraphQLClientError {
    /// The error for a missing ``AWSAPIPlugin``, or for a configuration file that names no server.
    static let noServer = GraphQLClientError(
        .invalidConfiguration, "There is no server. Add an AWSAPIPlugin, and configure Amplify with a file.")
}

/// The outcome of a call.
public typealias DataStoreResult<Success> = Result<Success, DataStoreError>

/// A closure for the outcome of a call. It is called once, from any thread.
public typealias DataStoreCallback<Success> = @Sendable (DataStoreResult<Success>) -> Void

/// The verbs with a closure in place of `await`.
extension DataStoreCategory {
    /// Calls `completion` with what `body` returns or throws.
    private func call<Success: Sendable>(
        _ completion: @escaping DataStoreCallback<Success>, _ body: @escaping @Sendable () async throws -> Success
    ) {
        Task {
            do { completion(.success(try await body())) } catch { completion(.failure(DataStoreError(error))) }
        }
    }

    /// ``save(_:where:)``, with a closure.
    public func save<M: Model>(
        _ model: M, where condition: (any QueryPredicate)? = nil, completion: @escaping DataStoreCallback<M>
    ) {
        call(completion) { try await save(model, where: condition) }
    }

    /// ``query(_:byId:)``, with a closure.
    public func query<M: Model>(_ modelType: M.Type, byId id: String, completion: @escaping DataStoreCallback<M?>) {
        call(completion) { try await query(modelType, byId: id) }
    }

    /// ``query(_:byIdentifier:)-(M.Type,String)``, with a closure.
    public func query<M: Model>(
        _ modelType: M.Type, byIdentifier id: String, completion: @escaping DataStoreCallback<M?>
    ) {
        call(completion) { try await query(modelType, byIdentifier: id) }
    }

    /// ``query(_:byIdentifier:)-(M.Type,ModelID<M>)``, with a closure.
    public func query<M: Model>(
        _ modelType: M.Type, byIdentifier id: ModelID<M>, completion: @escaping DataStoreCallback<M?>
    ) {
        call(completion) { try await query(modelType, byIdentifier: id) }
    }

    /// ``query(_:where:sort:paginate:)``, with a closure.
    public func query<M: Model>(
        _ modelType: M.Type, where predicate: (any QueryPredicate)? = nil, sort: QuerySortInput? = nil,
        paginate: QueryPaginationInput? = nil, completion: @escaping DataStoreCallback<[M]>
    ) {
        call(completion) { try await query(modelType, where: predicate, sort: sort, paginate: paginate) }
    }

    /// ``delete(_:where:)-(M,_)``, with a closure.
    public func delete<M: Model>(
        _ model: M, where condition: (any QueryPredicate)? = nil, completion: @escaping DataStoreCallback<Void>
    ) {
        call(completion) { try await delete(model, where: condition) }
    }

    /// ``delete(_:withId:where:)``, with a closure.
    public func delete<M: Model>(
        _ modelType: M.Type, withId id: String, where condition: (any QueryPredicate)? = nil,
        completion: @escaping DataStoreCallback<Void>
    ) {
        call(completion) { try await delete(modelType, withId: id, where: condition) }
    }

    /// ``delete(_:withIdentifier:where:)-(M.Type,String,_)``, with a closure.
    public func delete<M: Model>(
        _ modelType: M.Type, withIdentifier id: String, where condition: (any QueryPredicate)? = nil,
        completion: @escaping DataStoreCallback<Void>
    ) {
        call(completion) { try await delete(modelType, withIdentifier: id, where: condition) }
    }

    /// ``delete(_:withIdentifier:where:)-(M.Type,ModelID<M>,_)``, with a closure.
    public func delete<M: Model>(
        _ modelType: M.Type, withIdentifier id: ModelID<M>, where condition: (any QueryPredicate)? = nil,
        completion: @escaping DataStoreCallback<Void>
    ) {
        call(completion) { try await delete(modelType, withIdentifier: id, where: condition) }
    }

    /// ``delete(_:where:)-(M.Type,_)``, with a closure.
    public func delete<M: Model>(
        _ modelType: M.Type, where predicate: any QueryPredicate, completion: @escaping DataStoreCallback<Void>
    ) {
        call(completion) { try await delete(modelType, where: predicate) }
    }

    /// ``start()``, with a closure.
    public func start(completion: @escaping DataStoreCallback<Void>) { call(completion) { try await start() } }

    /// ``stop()``, with a closure.
    public func stop(completion: @escaping DataStoreCallback<Void>) { call(completion) { try await stop() } }

    /// ``clear()``, with a closure.
    public func clear(completion: @escaping DataStoreCallback<Void>) { call(completion) { try await clear() } }
}

/// The result of a call.
public typealias DataStoreResult<Success> = Result<Success, DataStoreError>

/// A closure for the result of a call. It is called once, on any thread.
public typealias DataStoreCallback<Success> = @Sendable (DataStoreResult<Success>) -> Void

/// The calls of the store with a closure instead of `await`.
extension DataStoreCategory {
    /// Calls `completion` with the value that `body` returns or the error that it throws.
    private func call<Success: Sendable>(
        _ completion: @escaping DataStoreCallback<Success>, _ body: @escaping @Sendable () async throws -> Success
    ) {
        Task {
            do { completion(.success(try await body())) } catch { completion(.failure(DataStoreError(error))) }
        }
    }

    /// Does the same as ``save(_:where:)``, with a closure.
    public func save<M: Model>(
        _ model: M, where condition: (any QueryPredicate)? = nil, completion: @escaping DataStoreCallback<M>
    ) {
        call(completion) { try await save(model, where: condition) }
    }

    /// Does the same as ``query(_:byId:)``, with a closure.
    public func query<M: Model>(_ modelType: M.Type, byId id: String, completion: @escaping DataStoreCallback<M?>) {
        call(completion) { try await query(modelType, byId: id) }
    }

    /// Does the same as ``query(_:byIdentifier:)-(M.Type,String)``, with a closure.
    public func query<M: Model>(
        _ modelType: M.Type, byIdentifier id: String, completion: @escaping DataStoreCallback<M?>
    ) {
        call(completion) { try await query(modelType, byIdentifier: id) }
    }

    /// Does the same as ``query(_:byIdentifier:)-(M.Type,ModelID<M>)``, with a closure.
    public func query<M: Model>(
        _ modelType: M.Type, byIdentifier id: ModelID<M>, completion: @escaping DataStoreCallback<M?>
    ) {
        call(completion) { try await query(modelType, byIdentifier: id) }
    }

    /// Does the same as ``query(_:where:sort:paginate:)``, with a closure.
    public func query<M: Model>(
        _ modelType: M.Type, where predicate: (any QueryPredicate)? = nil, sort: QuerySortInput? = nil,
        paginate: QueryPaginationInput? = nil, completion: @escaping DataStoreCallback<[M]>
    ) {
        call(completion) { try await query(modelType, where: predicate, sort: sort, paginate: paginate) }
    }

    /// Does the same as ``delete(_:where:)-(M,_)``, with a closure.
    public func delete<M: Model>(
        _ model: M, where condition: (any QueryPredicate)? = nil, completion: @escaping DataStoreCallback<Void>
    ) {
        call(completion) { try await delete(model, where: condition) }
    }

    /// Does the same as ``delete(_:withId:where:)``, with a closure.
    public func delete<M: Model>(
        _ modelType: M.Type, withId id: String, where condition: (any QueryPredicate)? = nil,
        completion: @escaping DataStoreCallback<Void>
    ) {
        call(completion) { try await delete(modelType, withId: id, where: condition) }
    }

    /// Does the same as ``delete(_:withIdentifier:where:)-(M.Type,String,_)``, with a closure.
    public func delete<M: Model>(
        _ modelType: M.Type, withIdentifier id: String, where condition: (any QueryPredicate)? = nil,
        completion: @escaping DataStoreCallback<Void>
    ) {
        call(completion) { try await delete(modelType, withIdentifier: id, where: condition) }
    }

    /// Does the same as ``delete(_:withIdentifier:where:)-(M.Type,ModelID<M>,_)``, with a closure.
    public func delete<M: Model>(
        _ modelType: M.Type, withIdentifier id: ModelID<M>, where condition: (any QueryPredicate)? = nil,
        completion: @escaping DataStoreCallback<Void>
    ) {
        call(completion) { try await delete(modelType, withIdentifier: id, where: condition) }
    }

    /// Does the same as ``delete(_:where:)-(M.Type,_)``, with a closure.
    public func delete<M: Model>(
        _ modelType: M.Type, where predicate: any QueryPredicate, completion: @escaping DataStoreCallback<Void>
    ) {
        call(completion) { try await delete(modelType, where: predicate) }
    }

    /// Does the same as ``start()``, with a closure.
    public func start(completion: @escaping DataStoreCallback<Void>) { call(completion) { try await start() } }

    /// Does the same as ``stop()``, with a closure.
    public func stop(completion: @escaping DataStoreCallback<Void>) { call(completion) { try await stop() } }

    /// Does the same as ``clear()``, with a closure.
    public func clear(completion: @escaping DataStoreCallback<Void>) { call(completion) { try await clear() } }
}

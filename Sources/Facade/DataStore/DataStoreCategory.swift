import TidelogSynchronization

/// The calls of Amplify DataStore. Each call waits until the store is open, and starts the sync engine without waiting for it.
///
/// Each call throws ``DataStoreError``. The code is `notConfigured` before ``Amplify/configure()``. If opening the store
/// failed, the call throws that error. Otherwise it throws the errors of the corresponding call of ``DataStore``.
public struct DataStoreCategory: Sendable {
    /// The open store. If its engine does not run, it is started now.
    private func started() async throws -> OpenedStore {
        let opened = try await Configuration.shared.opened()
        opened.startSyncing()
        return opened
    }

    // MARK: Saving and reading

    /// Saves `model`: inserts it, or replaces the record that has its id. The change is durable when this method returns.
    ///
    /// - Parameter condition: A condition on the present record, here and on the server; `nil` for no condition.
    /// - Returns: `model`.
    @discardableResult
    public func save<M: Model>(_ model: M, where condition: (any QueryPredicate)? = nil) async throws -> M {
        let opened = try await started()
        // With a server, the parent may still be on its way to this device.
        try await opened.store.save(
            model, where: condition.on(M.self), requireParents: opened.client == nil ? nil : false)
        return model
    }

    /// The record whose key is the text `id`, `nil` if there is none.
    public func query<M: Model>(_ modelType: M.Type, byId id: String) async throws -> M? {
        try await started().store.query(modelType, id: id)
    }

    /// The record whose key is the text `id`, `nil` if there is none.
    public func query<M: Model>(_ modelType: M.Type, byIdentifier id: String) async throws -> M? {
        try await started().store.query(modelType, id: id)
    }

    /// The record that has `id`, `nil` if there is none.
    public func query<M: Model>(_ modelType: M.Type, byIdentifier id: ModelID<M>) async throws -> M? {
        try await started().store.query(modelType, id: id)
    }

    /// The records that fulfil `predicate`, in the order of `sort`.
    public func query<M: Model>(
        _ modelType: M.Type, where predicate: (any QueryPredicate)? = nil, sort: QuerySortInput? = nil,
        paginate: QueryPaginationInput? = nil
    ) async throws -> [M] {
        try await started().store.query(
            modelType, where: predicate.on(M.self), sort: sort ?? .byKey, page: paginate ?? .all)
    }

    // MARK: Deleting

    /// Deletes the record that has the id of `model`, and the records that belong to it.
    ///
    /// - Parameter condition: A condition on the present record, here and on the server; `nil` for no condition.
    public func delete<M: Model>(_ model: M, where condition: (any QueryPredicate)? = nil) async throws {
        try await started().store.delete(model, where: condition.on(M.self))
    }

    /// Deletes the record whose key is the text `id`, and the records that belong to it.
    public func delete<M: Model>(
        _ modelType: M.Type, withId id: String, where condition: (any QueryPredicate)? = nil
    ) async throws {
        try await started().store.delete(modelType, id: id, where: condition.on(M.self))
    }

    /// Deletes the record whose key is the text `id`, and the records that belong to it.
    public func delete<M: Model>(
        _ modelType: M.Type, withIdentifier id: String, where condition: (any QueryPredicate)? = nil
    ) async throws {
        try await started().store.delete(modelType, id: id, where: condition.on(M.self))
    }

    /// Deletes the record that has `id`, and the records that belong to it.
    public func delete<M: Model>(
        _ modelType: M.Type, withIdentifier id: ModelID<M>, where condition: (any QueryPredicate)? = nil
    ) async throws {
        try await started().store.delete(modelType, id: id, where: condition.on(M.self))
    }

    /// Deletes the records that fulfil `predicate`, and the records that belong to them.
    public func delete<M: Model>(_ modelType: M.Type, where predicate: any QueryPredicate) async throws {
        try await started().store.delete(all: M.where(predicate.on(M.self)))
    }

    // MARK: Observing

    /// Each change of a record from now on, both local changes and changes from the server.
    public func observe<M: Model>(_ modelType: M.Type) -> AmplifyAsyncThrowingSequence<MutationEvent> {
        following { opened in
            let changes = opened.store.changes(of: modelType.all)
            return {
                let reader = SequenceReader(changes)
                return {
                    guard let change = try await reader.next() else { return nil }
                    return try await MutationEvent(change, opened.store)
                }
            }
        }
    }

    /// The records that fulfil `predicate`, in the order of `sort`: the current records, and the new result after each change.
    ///
    /// The sequence does not end when the store is cleared.
    public func observeQuery<M: Model>(
        for modelType: M.Type, where predicate: (any QueryPredicate)? = nil, sort: QuerySortInput? = nil
    ) -> AmplifyAsyncThrowingSequence<DataStoreQuerySnapshot<M>> {
        following { opened in
            {
                let reader = RestartingReader(
                    opened.store, M.where(predicate.on(M.self)).sorted(by: sort ?? .byKey))
                return { try await reader.next().map { DataStoreQuerySnapshot($0) } }
            }
        }
    }

    /// A sequence that begins at the call, or when the store is open.
    ///
    /// - Parameter begin: Returns a closure that begins an iteration.
    private func following<Element: Sendable>(
        _ begin: @escaping @Sendable (OpenedStore) -> @Sendable () -> AmplifyAsyncThrowingSequence<Element>.Next
    ) -> AmplifyAsyncThrowingSequence<Element> {
        if let opened = Configuration.shared.current {
            opened.startSyncing()
            let iteration = begin(opened)
            return AmplifyAsyncThrowingSequence { iteration() }
        }
        let opening = Task { begin(try await started()) }
        return AmplifyAsyncThrowingSequence { try await opening.value() }
    }

    // MARK: The engine

    /// Starts the sync engine. Every other call starts it too, except ``stop()`` and ``clear()``.
    ///
    /// - Throws: ``DataStoreError``; ``SyncError`` with the code `identityChanged` if the store was synced as another person.
    public func start() async throws { try await Configuration.shared.opened().engine.start() }

    /// Stops the sync engine. The store keeps its content.
    public func stop() async throws { try await Configuration.shared.opened().engine.stop() }

    /// Stops the sync engine and empties the store, including changes that were not sent; their number is logged. The server
    /// keeps its records. The next call starts the engine again, which then asks for all records.
    public func clear() async throws {
        let engine = try await Configuration.shared.opened().engine
        do {
            try await engine.clear()
        } catch let error as SyncError where error.code == .unsentChanges {
            Amplify.Logging.warn("clear() discards \(error.unsentCount ?? 0) changes that were not sent.")
            try await engine.clear(discardingUnsent: true)
        }
    }
}

/// Reads a live query. After the store was cleared, it starts the same query again.
private final class RestartingReader<Value: Model>: Sendable {
    private let store: DataStore
    private let query: Query<Value>
    private let reader: Mutex<SequenceReader<LiveQuery<Value>>>

    init(_ store: DataStore, _ query: Query<Value>) {
        self.store = store
        self.query = query
        reader = Mutex(SequenceReader(store.observe(query)))
    }

    func next() async throws -> LiveResult<Value>? {
        while true {
            do {
                return try await reader.withLock { $0 }.next()
            } catch let error as DataStoreError where error.code == .storeCleared {
                reader.withLock { $0 = SequenceReader(store.observe(query)) }
            }
        }
    }
}

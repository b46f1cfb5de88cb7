extension DataStore {
    /// The result of `query`, now and again after every change.
    ///
    /// ```swift
    /// for try await result in store.observe(Post.where(Post.keys.rating > 4)) { render(result.items) }
    /// for try await result in store.observe(Post.with(id: "1")) { render(result.items.first) }
    /// ```
    ///
    /// The first result is delivered at once. Each later result is the query's result at its ``LiveResult/sequence``, which
    /// never decreases. A result is delivered when its items or ``LiveResult/isSynced`` have changed. While the receiver is
    /// busy, changes are combined, and the latest result is always delivered. Results are computed from the changes, without
    /// running the query again. If a page loses records, the following records are read.
    ///
    /// If the query follows or includes relations, a change of a related record counts too. Such a query, and a query whose
    /// page begins after a record, runs again after each change of a model in the query.
    ///
    /// If compaction overtakes a live query, it runs the query again and continues. If the store is cleared, the live query
    /// ends with `storeCleared`, because sequence numbers then begin at 1 again.
    ///
    /// The memory of a live query grows with the offset and the limit of the query's page.
    ///
    /// - Returns: a sequence whose iterations throw ``DataStoreError``: `closed`, `storeCleared`, `unknownModel`,
    ///   `invalidPredicate`, `projectionUnavailable`.
    public func observe<Value: Fetchable>(_ query: Query<Value>) -> LiveQuery<Value> {
        LiveQuery(query) { try followedLog() }
    }

    /// All changes of records of `query` from now on, each once and in order.
    ///
    /// ```swift
    /// for try await change in store.changes(of: Post.all) { audit(change) }
    /// ```
    ///
    /// Changes of the same commit have the same ``Change/commit``. Changes from a server are included, and their
    /// ``Change/origin`` shows it. If compaction overtakes the observer, it gets the error `lagged`. In that case, read the
    /// present records and observe again.
    ///
    /// Of the query, only the condition counts. It applies to the record after the change. Removals are always delivered. The
    /// condition cannot follow relations.
    ///
    /// - Returns: a sequence whose iterations throw ``DataStoreError``: `closed`, `storeCleared`, `lagged`, `unknownModel`,
    ///   `invalidPredicate`.
    public func changes<Value: Fetchable>(of query: Query<Value>) -> ChangeStream<Value> {
        ChangeStream(store: handle) {
            let log = try followedLog()
            let model = try log.layout.model(of: query)
            if let relation = query.origin?.relation {
                throw DataStoreError(
                    .invalidPredicate, "The changes of the records of one relation (\(relation)) are not known.",
                    model: model.name, recovery: "Observe the query, or give a condition on \(model.name).")
            }
            return (
                EventCursor(log, everythingAfter: try log.head()),
                ChangeFilter(model: model, filter: try RowPredicate(query.predicate, for: model))
            )
        }
    }
}

extension DataStore {
    /// Sets whether the model called `name` is in sync with a server, and notifies the live queries that read it.
    ///
    /// This sets ``LiveResult/isSynced``.
    ///
    /// A result with the new state includes every write that returned before this call. The state is only in memory: after the
    /// store was opened or cleared, no model is in sync. Other processes always see `false`.
    ///
    /// - Throws: ``DataStoreError``: `unknownModel`, `readOnly`, `closed`.
    package func setSynced(_ isSynced: Bool, model name: String) throws {
        let generation = try current()
        _ = try writer(of: generation)
        generation.feed.setSynced(isSynced, model: try generation.layout.required(name).number)
    }
}

extension DataStore {
    /// All changes of records of `type` from now on, each once and in order.
    ///
    /// ```swift
    /// for try await change in store.observe(Post.self) { audit(change) }
    /// ```
    ///
    /// Changes of the same commit have the same ``Change/commit``. Changes from a server are included, and their
    /// ``Change/origin`` shows it. If compaction overtakes the observer, it gets the error `lagged`. In that case, read the
    /// present records and observe again.
    ///
    /// - Parameter predicate: The condition for the record after the change. Removals are always delivered. The predicate
    ///   cannot follow relations.
    /// - Returns: a sequence whose iterations throw ``DataStoreError``: `closed`, `storeCleared`, `lagged`, `unknownModel`,
    ///   `invalidPredicate`.
    public func observe<Value: Model>(_ type: Value.Type, where predicate: ModelPredicate<Value> = .all)
        -> ChangeStream<Value>
    {
        ChangeStream { [handle] row, model in
            try Value.decoded(row, model, store: handle)
        } _: {
            try changes(where: predicate.queryPredicate) { try $0.model(of: type) }
        }
    }

    /// All changes of records of the model called `name` from now on, like ``observe(_:where:)-(Value.Type,_)``.
    public func observe(_ name: String, where predicate: QueryPredicate = .all) -> ChangeStream<Record> {
        ChangeStream { row, model in
            try Record(row, layout: model)
        } _: {
            try changes(where: predicate) { try $0.required(name) }
        }
    }

    private func changes(
        where predicate: QueryPredicate, _ model: (SchemaLayout) throws -> ModelLayout
    ) throws -> (cursor: EventCursor, filter: ChangeFilter) {
        let log = try followedLog()
        let model = try model(log.layout)
        return (
            EventCursor(log, everythingAfter: try log.head()),
            ChangeFilter(model: model, filter: try RowPredicate(predicate, for: model))
        )
    }

    /// The records of `type` that match `predicate`, in the order of `sort`, now and again after every change.
    ///
    /// ```swift
    /// for try await result in store.observeQuery(Post.self, where: Post.keys.rating > 4) { render(result.items) }
    /// ```
    ///
    /// The first result is delivered at once. Each later result is the query's result at its ``LiveResult/sequence``, which
    /// never decreases. A result is delivered when its items or ``LiveResult/isSynced`` have changed. While the receiver is
    /// busy, changes are combined, and the latest result is always delivered. Results are computed from the changes, without
    /// running the query again. If a page loses records, the following records are read. If the predicate follows relations,
    /// the query runs again after each change of a model in the query.
    ///
    /// If compaction overtakes a live query, it runs the query again and continues. If the store is cleared, the live query
    /// ends with `storeCleared`, because sequence numbers then begin at 1 again.
    ///
    /// - Parameter page: The part of the result to return. The memory of a live query grows with the page's offset and limit.
    /// - Returns: a sequence whose iterations throw ``DataStoreError``: `closed`, `storeCleared`, `unknownModel`,
    ///   `invalidPredicate`, `projectionUnavailable`.
    public func observeQuery<Value: Model>(
        _ type: Value.Type, where predicate: ModelPredicate<Value> = .all, sort: Sort = .byKey, page: Page = .all
    ) -> LiveQuery<Value> {
        LiveQuery {
            let log = try followedLog()
            let model = try log.layout.model(of: type)
            return LiveQuery.Source(log: log, model: model, predicate: predicate.queryPredicate, sort: sort, page: page)
            {
                [handle] in
                try Value.decoded($0, $1, store: handle)
            }
        }
    }

    /// The records of `type` that match `predicate`, with their related records, now and again after every change.
    ///
    /// The records are in the order of `sort`. A change of a related record also counts.
    ///
    /// ```swift
    /// let live = store.observeQuery(Post.self, including: Post.keys.comments)
    /// for try await result in live { render(result.items) }
    /// ```
    ///
    /// The query runs again if a record of one of these models changes. A result is delivered if anything in it is different.
    ///
    /// - Returns: a sequence that throws the same errors as ``observeQuery(_:where:sort:page:)-(Value.Type,_,_,_)``.
    public func observeQuery<Value: Model, each Target: Model>(
        _ type: Value.Type, where predicate: ModelPredicate<Value> = .all, sort: Sort = .byKey, page: Page = .all,
        including relation: repeat Relation<Value, each Target>
    ) -> LiveQuery<Value> {
        var names: Set<String> = []
        repeat _ = names.insert((each relation).relationName)
        let inclusion = LiveQuery<Value>.Inclusion(relations: names) { query, reader in
            var loading = EagerLoading<Value>(reader, isCompared: true)
            let model = try reader.layout.model(of: type)
            try query.fetch { row in
                try loading.append(row.row, model)
                return true
            }
            repeat try loading.load(each relation)
            return (loading.values, loading.fingerprint)
        }
        return LiveQuery {
            let log = try followedLog()
            var source = LiveQuery<Value>.Source(
                log: log, model: try log.layout.model(of: type), predicate: predicate.queryPredicate, sort: sort,
                page: page
            ) { [handle] in try Value.decoded($0, $1, store: handle) }
            source.including = inclusion
            return source
        }
    }

    /// The dynamic records of the model called `name` that match `predicate`, like
    /// ``observeQuery(_:where:sort:page:)-(Value.Type,_,_,_)``.
    public func observeQuery(
        _ name: String, where predicate: QueryPredicate = .all, sort: Sort = .byKey, page: Page = .all
    ) -> LiveQuery<Record> {
        LiveQuery {
            let log = try followedLog()
            let model = try log.layout.required(name)
            return LiveQuery.Source(log: log, model: model, predicate: predicate, sort: sort, page: page) {
                try Record($0, layout: $1)
            }
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

extension DataStore {
    /// Every change of a record of `type` from now on, each once and in order.
    ///
    /// ```swift
    /// for try await change in store.observe(Post.self) { audit(change) }
    /// ```
    ///
    /// Changes of one commit have the same ``Change/commit``. A change that a server sent comes as any other, with
    /// ``Change/origin`` saying so. An observer that is overtaken by compaction is told `lagged`; then read the records as
    /// they are and observe again.
    ///
    /// - Parameter predicate: Which records to tell of, as they are after the change; one that is gone is always told. It
    ///   follows no relations.
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

    /// Every change of a record of the model called `name` from now on, each once and in order, as
    /// ``observe(_:where:)-(Value.Type,_)``.
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

    /// The records of `type` that `predicate` holds for, in the order of `sort`, now and after every change.
    ///
    /// ```swift
    /// for try await result in store.observeQuery(Post.self, where: Post.keys.rating > 4) { render(result.items) }
    /// ```
    ///
    /// The first result comes at once. Each later one is what the query would have returned at its
    /// ``LiveResult/sequence``, which never falls. It comes when the items or ``LiveResult/isSynced`` have changed;
    /// while the receiver is busy changes coalesce, and the last is always delivered. Results are worked out from what
    /// changed, not by asking again; a page that loses records reads those that follow. A predicate that follows
    /// relations is asked again when a record of a model that it has to do with changes.
    ///
    /// A live query that is overtaken by compaction asks once and goes on. One whose store is cleared ends with
    /// `storeCleared`, since sequence numbers begin again at 1.
    ///
    /// - Parameter page: The part of the result; the memory that a live query takes grows with offset and limit.
    /// - Returns: a sequence whose iterations throw ``DataStoreError``: `closed`, `storeCleared`, `unknownModel`,
    ///   `invalidPredicate`, `projectionUnavailable`.
    public func observeQuery<Value: Model>(
        _ type: Value.Type, where predicate: ModelPredicate<Value> = .all, sort: Sort = .byKey, page: Page = .all
    ) -> LiveQuery<Value> {
        LiveQuery {
            let log = try followedLog()
            let model = try log.layout.model(of: type)
            return LiveSource(log: log, model: model, predicate: predicate.queryPredicate, sort: sort, page: page) {
                [handle] in
                try Value.decoded($0, $1, store: handle)
            }
        }
    }

    /// The records of `type` that `predicate` holds for, in the order of `sort`, with what the relations lead to, now and
    /// after every change of a record or of one that was loaded with it.
    ///
    /// ```swift
    /// let live = store.observeQuery(Post.self, including: Post.keys.comments)
    /// for try await result in live { render(result.items) }
    /// ```
    ///
    /// The query is asked again if a record of one of the models changes; a result comes if anything in it is different.
    ///
    /// - Returns: a sequence whose iterations throw as those of ``observeQuery(_:where:sort:page:)-(Value.Type,_,_,_)``.
    public func observeQuery<Value: Model, each Target: Model>(
        _ type: Value.Type, where predicate: ModelPredicate<Value> = .all, sort: Sort = .byKey, page: Page = .all,
        including relation: repeat Relation<Value, each Target>
    ) -> LiveQuery<Value> {
        var names: Set<String> = []
        repeat _ = names.insert((each relation).relationName)
        let inclusion = LiveInclusion<Value>(relations: names) { query, reader in
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
            var source = LiveSource<Value>(
                log: log, model: try log.layout.model(of: type), predicate: predicate.queryPredicate, sort: sort,
                page: page
            ) { [handle] in try Value.decoded($0, $1, store: handle) }
            source.including = inclusion
            return source
        }
    }

    /// The dynamic records of the model called `name` that `predicate` holds for, now and after every change, as
    /// ``observeQuery(_:where:sort:page:)-(Value.Type,_,_,_)``.
    public func observeQuery(
        _ name: String, where predicate: QueryPredicate = .all, sort: Sort = .byKey, page: Page = .all
    ) -> LiveQuery<Record> {
        LiveQuery {
            let log = try followedLog()
            let model = try log.layout.required(name)
            return LiveSource(log: log, model: model, predicate: predicate, sort: sort, page: page) {
                try Record($0, layout: $1)
            }
        }
    }
}

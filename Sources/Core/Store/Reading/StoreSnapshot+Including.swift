extension StoreSnapshot {
    /// The records of `type` that `predicate` holds for, in the order of `sort`. The records that the relations lead to
    /// are loaded with them.
    public func query<Value: Model, each Target: Model>(
        _ type: Value.Type, where predicate: ModelPredicate<Value> = .all, sort: Sort = .byKey, page: Page = .all,
        including relation: repeat Relation<Value, each Target>
    ) throws -> [Value] {
        let model = try layout.model(of: type)
        var loading = try EagerLoading<Value>(related)
        try RecordQuery(model, where: predicate.queryPredicate, sort: sort, page: page, in: related).fetch { row in
            try loading.append(row.row, model)
            return true
        }
        repeat try loading.load(each relation)
        return loading.values
    }

    /// The record of `type` that has `id`, `nil` if there is none. The records that the relations lead to are loaded with it.
    public func query<Value: Model, each Target: Model>(
        _ type: Value.Type, id: ModelID<Value>, including relation: repeat Relation<Value, each Target>
    ) throws -> Value? {
        let model = try layout.model(of: type)
        var loading = try EagerLoading<Value>(related)
        try model.withKey(of: id.recordID) { key in
            if let row = try reader.get(key, in: model) { try loading.append(row.row, model) }
        }
        repeat try loading.load(each relation)
        return loading.values.first
    }

    /// The record of `type` whose key is the text `id`, `nil` if there is none. The records that the relations lead to
    /// are loaded with it.
    public func query<Value: Model, each Target: Model>(
        _ type: Value.Type, id: String, including relation: repeat Relation<Value, each Target>
    ) throws -> Value? {
        try query(type, id: ModelID([.string(id)]), including: repeat each relation)
    }
}

extension DataStore {
    /// The records of `type` that `predicate` holds for, in the order of `sort`. The records that the relations lead to
    /// are loaded with them. All records belong to the same moment, and each related record is read once.
    ///
    /// ```swift
    /// let posts = try await store.query(Post.self, including: Post.keys.comments, Post.keys.author)
    /// ```
    ///
    /// - Throws: ``DataStoreError``: `invalidPredicate` if a field or relation is unknown or a value does not fit it;
    ///   `projectionUnavailable`, `closed`.
    public func query<Value: Model, each Target: Model>(
        _ type: Value.Type, where predicate: ModelPredicate<Value> = .all, sort: Sort = .byKey, page: Page = .all,
        including relation: repeat Relation<Value, each Target>
    ) async throws -> [Value] {
        try await read { snapshot in
            try snapshot.query(type, where: predicate, sort: sort, page: page, including: repeat each relation)
        }
    }

    /// The record of `type` that has `id`, `nil` if there is none. The records that the relations lead to are loaded with it.
    public func query<Value: Model, each Target: Model>(
        _ type: Value.Type, id: ModelID<Value>, including relation: repeat Relation<Value, each Target>
    ) async throws -> Value? {
        try await read { try $0.query(type, id: id, including: repeat each relation) }
    }

    /// The record of `type` whose key is the text `id`, `nil` if there is none. The records that the relations lead to
    /// are loaded with it.
    public func query<Value: Model, each Target: Model>(
        _ type: Value.Type, id: String, including relation: repeat Relation<Value, each Target>
    ) async throws -> Value? {
        try await read { try $0.query(type, id: id, including: repeat each relation) }
    }
}

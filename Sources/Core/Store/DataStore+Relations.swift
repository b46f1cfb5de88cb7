extension DataStore {
    /// The record that `relation` of `value` leads to; `nil` if there is no reference, or its record is not there (yet).
    ///
    /// For values that were not read from a store; those that were answer by themselves: `try await comment.post`. Of a
    /// relation to many this is the first.
    ///
    /// - Throws: ``DataStoreError``: `unknownModel`, `invalidPredicate` if the store's schema has no such relation,
    ///   `projectionUnavailable`, `closed`.
    public func related<Owner: Model, Target: Model>(
        _ value: Owner, _ relation: Relation<Owner, Target>
    ) async throws -> Target? {
        try await read { try $0.related(value, relation) }
    }

    /// The records that `relation` of `value` leads to; nothing is read before they are asked for.
    public func relatedRecords<Owner: Model, Target: Model>(
        _ value: Owner, _ relation: Relation<Owner, Target>
    ) -> RelatedRecords<Target> {
        RelatedRecords(from: handle, value, relation)
    }

    /// Lets values that are read from here find this store again, without keeping it open.
    func attachHandle() {
        handle.attach(
            StoreHandle.Reading { [weak self] in
                try Self.open(self).layout
            } read: { [weak self] body in
                let store = try Self.open(self)
                try withExtendedLifetime(store) { try store.withSnapshot { try body($0.related) } }
            })
    }

    private static func open(_ store: DataStore?) throws -> DataStore {
        guard let store else { throw DataStoreError.closed }
        return store
    }
}

extension StoreSnapshot {
    var related: RelatedReader { get throws { RelatedReader(rows: try reader, layout: layout, store: store) } }

    /// The record that `relation` of `value` leads to; `nil` if there is no reference, or its record is not there (yet).
    /// Of a relation to many this is the first.
    public func related<Owner: Model, Target: Model>(
        _ value: Owner, _ relation: Relation<Owner, Target>
    ) throws -> Target? {
        try related.one(relation, of: value)
    }

    /// The records that `relation` of `value` leads to and `predicate` holds for.
    ///
    /// - Parameter sort: Their order; `nil` for that of the index that the relation goes by, then by key.
    public func relatedRecords<Owner: Model, Target: Model>(
        _ value: Owner, _ relation: Relation<Owner, Target>, where predicate: ModelPredicate<Target> = .all,
        sort: Sort? = nil,
        page: Page = .all
    ) throws -> [Target] {
        try related.many(
            relation, of: value, RelatedSelection(predicate: predicate.queryPredicate, sort: sort, page: page))
    }
}

extension StoreTransaction {
    /// A reader of the rows with everything that was staged.
    func flushedRelated() throws -> RelatedReader {
        requireOpen()
        try flush()
        return RelatedReader(rows: try rows.writing(), layout: layout, store: store)
    }

    /// The record that `relation` of `value` leads to; `nil` if there is no reference, or its record is not there (yet).
    /// Of a relation to many this is the first.
    public func related<Owner: Model, Target: Model>(
        _ value: Owner, _ relation: Relation<Owner, Target>
    ) throws -> Target? {
        try flushedRelated().one(relation, of: value)
    }

    /// The records that `relation` of `value` leads to and `predicate` holds for.
    ///
    /// - Parameter sort: Their order; `nil` for that of the index that the relation goes by, then by key.
    public func relatedRecords<Owner: Model, Target: Model>(
        _ value: Owner, _ relation: Relation<Owner, Target>, where predicate: ModelPredicate<Target> = .all,
        sort: Sort? = nil,
        page: Page = .all
    ) throws -> [Target] {
        try flushedRelated().many(
            relation, of: value, RelatedSelection(predicate: predicate.queryPredicate, sort: sort, page: page))
    }
}

extension DataStore {
    /// The record that `relation` of `value` refers to. The result is `nil` if there is no reference, or if the record
    /// does not exist (yet). If the relation leads to several records, this is the first one.
    ///
    /// Use this method for values that were not read from a store. A value that was read from a store can follow its
    /// relations directly: `try await comment.post`.
    ///
    /// - Throws: ``DataStoreError``: `unknownModel`, `invalidPredicate` if the store's schema has no such relation,
    ///   `projectionUnavailable`, `closed`.
    public func related<Owner: Model, Target: Model>(
        _ value: Owner, _ relation: Relation<Owner, Target>
    ) async throws -> Target? {
        try await read { try $0.related(value, relation) }
    }

    /// The records that `relation` of `value` leads to. They are not read before the result is used.
    public func relatedRecords<Owner: Model, Target: Model>(
        _ value: Owner, _ relation: Relation<Owner, Target>
    ) -> RelatedRecords<Target> {
        RelatedRecords(from: handle, value, relation)
    }

    /// Lets values that were read from this store find the store again. The values do not keep the store open.
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

    /// The record that `relation` of `value` refers to. The result is `nil` if there is no reference, or if the record
    /// does not exist (yet). If the relation leads to several records, this is the first one.
    public func related<Owner: Model, Target: Model>(
        _ value: Owner, _ relation: Relation<Owner, Target>
    ) throws -> Target? {
        try related.one(relation, of: value)
    }

    /// The records that `relation` of `value` leads to and that `predicate` holds for.
    ///
    /// - Parameter sort: The order of the records. With `nil`, this is the order of the relation's index, and then of
    ///   the key.
    public func relatedRecords<Owner: Model, Target: Model>(
        _ value: Owner, _ relation: Relation<Owner, Target>, where predicate: ModelPredicate<Target> = .all,
        sort: Sort? = nil,
        page: Page = .all
    ) throws -> [Target] {
        try related.many(
            relation, of: value, RelatedReader.Selection(predicate: predicate.queryPredicate, sort: sort, page: page))
    }
}

extension StoreTransaction {
    /// A reader of the rows that also sees all staged changes.
    func relatedReader() throws -> RelatedReader {
        requireOpen()
        return RelatedReader(rows: try rows.applyStaged(), layout: layout, store: store)
    }

    /// The record that `relation` of `value` refers to. The result is `nil` if there is no reference, or if the record
    /// does not exist (yet). If the relation leads to several records, this is the first one.
    public func related<Owner: Model, Target: Model>(
        _ value: Owner, _ relation: Relation<Owner, Target>
    ) throws -> Target? {
        try relatedReader().one(relation, of: value)
    }

    /// The records that `relation` of `value` leads to and that `predicate` holds for.
    ///
    /// - Parameter sort: The order of the records. With `nil`, this is the order of the relation's index, and then of
    ///   the key.
    public func relatedRecords<Owner: Model, Target: Model>(
        _ value: Owner, _ relation: Relation<Owner, Target>, where predicate: ModelPredicate<Target> = .all,
        sort: Sort? = nil,
        page: Page = .all
    ) throws -> [Target] {
        try relatedReader().many(
            relation, of: value, RelatedReader.Selection(predicate: predicate.queryPredicate, sort: sort, page: page))
    }
}

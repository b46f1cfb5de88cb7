/// Follows relations in one consistent view of the rows.
package struct RelatedReader {
    let rows: any AdapterReader
    package let layout: SchemaLayout
    /// The store in which values from this reader find their relations later.
    let store: StoreHandle?

    init(rows: any AdapterReader, layout: SchemaLayout, store: StoreHandle) {
        self.rows = rows
        self.layout = layout
        self.store = store
    }

    /// The condition for the records to which `relation` leads from the record with `row`, and the order that they have by
    /// themselves.
    func records(of row: RowView, _ relation: RelationLayout) throws -> (predicate: QueryPredicate, sort: Sort) {
        switch relation.path {
        case .ownKey(let fields):
            return (try fields.values(of: row).map(relation.target.keyFields.equal) ?? .or([]), .byKey)
        case .otherFields(let own, let other, let order):
            return (try own.values(of: row).map(other.equal) ?? .or([]), Sort(order.map { Sort.Key($0) }))
        case .join(let join, let own, let other):
            guard let values = try relation.owner.keyFields.values(of: row) else { return (.or([]), .byKey) }
            var found: Set<[FieldValue]> = []
            try rows.fetch(StorageQuery(model: join, predicate: own.equal(values))) { row in
                if let values = try other.values(of: row.row) { found.insert(values) }
                return true
            }
            return (relation.target.keyFields.equalAny(found), .byKey)
        }
    }

    /// The condition for the records to which the relation called `name` leads from `owner`, and their order.
    func records<Owner: Model>(of owner: Owner, _ name: String) throws -> (predicate: QueryPredicate, sort: Sort) {
        let model = try layout.model(of: Owner.self)
        let relation = try layout.relations.required(name, of: layout.required(Owner.schema.name))
        return try model.withRow(of: owner) { try records(of: $0, relation) }
    }

    /// The keys of the records that are joined with the record with `row`, in order.
    func keys(
        _ relation: RelationLayout, in join: ModelLayout, own: [FieldLayout], other: [FieldLayout], of row: RowView
    ) throws -> [[UInt8]] {
        guard let values = try relation.owner.keyFields.values(of: row) else { return [] }
        var keys: [[UInt8]] = []
        try rows.fetch(StorageQuery(model: join, predicate: own.equal(values))) { row in
            if let key = try other.key(of: row.row, as: relation.target) { keys.append(key) }
            return true
        }
        return keys.sortedAndUnique()
    }

    /// Calls `body` with the row of `model` under `key`, or with `nil` if there is none.
    ///
    /// The row is a copy, because a row from `get` is only valid until the next call on the reader. The copy is valid until
    /// `body` returns.
    func withRow<Result>(
        under key: [UInt8], in model: ModelLayout, _ body: (StoredRow?) throws -> Result
    ) throws -> Result {
        try key.withUnsafeBytes { key in
            guard let row = try rows.get(key, in: model) else { return try body(nil) }
            let byteCount = row.row.bytes.count
            return try withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 8) { memory in
                memory.copyMemory(from: row.row.bytes)
                let copy = try RowView(UnsafeRawBufferPointer(rebasing: memory[..<byteCount]))
                return try body(StoredRow(key: key, sequence: row.sequence, row: copy))
            }
        }
    }

    // MARK: Typed

    /// The records of `query`, without the related records that it includes.
    func fetch<Value: Fetchable>(_ query: Query<Value>) throws -> [Value] {
        let model = try layout.model(of: query)
        var values: [Value] = []
        try RecordQuery(query, model, in: self).fetch { row in
            try Value.append(row.row, model, store: store, to: &values)
            return true
        }
        return values
    }

    /// The first record that `relation` leads to from `owner`.
    func one<Owner, Target>(_ relation: Relation<Owner, Target>, of owner: Owner) throws -> Target? {
        guard case .ownKey(let fields) = try layout.relation(relation).path else {
            return try fetch(relation.of(owner).limit(1)).first
        }
        let model = try layout.model(of: Target.self)
        let key = try layout.model(of: Owner.self).withRow(of: owner) { try fields.key(of: $0, as: model) }
        return try key.flatMap { key in
            try withRow(under: key, in: model) { try $0.map { try Target.decoded($0.row, model, store: store) } }
        }
    }

    // MARK: Rows, as the conformance kit queries an adapter's readers

    /// A reader of `rows`, which have the given `layout`.
    package init(_ rows: any AdapterReader, layout: SchemaLayout) {
        self.rows = rows
        self.layout = layout
        store = nil
    }

    /// Passes the rows of `model` that match `predicate` to `body`, in order, until it returns false.
    ///
    /// The predicate may follow relations.
    package func fetch(
        _ model: ModelLayout, where predicate: QueryPredicate, sort: Sort = .byKey, page: Page = .all,
        _ body: (StoredRow) throws -> Bool
    ) throws {
        try RecordQuery(model, where: predicate, sort: sort, page: page, in: self).fetch(body)
    }

    /// The number of rows that ``fetch(_:where:sort:page:_:)`` passes to its closure.
    package func count(_ model: ModelLayout, where predicate: QueryPredicate, page: Page = .all) throws -> Int {
        try RecordQuery(model, where: predicate, page: page, in: self).count()
    }

    /// Passes the related rows of a record to `body`, until it returns false.
    ///
    /// The record belongs to `model` and has `row`. The relation is called `name`.
    ///
    /// - Parameter sort: The order of the rows, or `nil` for the relation's own order.
    package func forEach(
        _ name: String, of row: RowView, in model: ModelLayout, where predicate: QueryPredicate = .all,
        sort: Sort? = nil,
        page: Page = .all, _ body: (StoredRow) throws -> Bool
    ) throws {
        let relation = try layout.relations.required(name, of: model)
        let found = try records(of: row, relation)
        try fetch(relation.target, where: found.predicate && predicate, sort: sort ?? found.sort, page: page, body)
    }
}

extension SchemaLayout {
    /// The layout of `relation`, which defines how to follow it.
    ///
    /// - Throws: ``DataStoreError``: `unknownModel`; `invalidPredicate` if the schema has no such relation.
    func relation<Owner, Target>(_ relation: Relation<Owner, Target>) throws -> RelationLayout {
        let found = try relations.required(relation.relationName, of: required(Owner.schema.name))
        guard found.target.name == Target.schema.name else {
            throw DataStoreError(
                .invalidSchema, "\(found.owner.name).\(found.name) leads to \(found.target.name) in the store.",
                model: found.owner.name, recovery: "Open the store with the schema that the type belongs to.")
        }
        return found
    }

    /// Whether `relation` leads from `owner`, with its present values, to `record`.
    func refers<Owner, Target>(_ owner: Owner, _ relation: Relation<Owner, Target>, to record: Target) throws -> Bool {
        // If the other records hold the reference, it may change without a change of `owner`.
        guard case .ownKey(let fields) = try self.relation(relation).path else { return true }
        let target = try model(of: Target.self)
        let key = try target.key(of: record)
        return try model(of: Owner.self).withRow(of: owner) { try fields.key(of: $0, as: target) } == key
    }
}

extension ModelLayout {
    /// Calls `body` with the encoded row of `value`.
    func withRow<Value: Model, Result>(of value: Value, _ body: (RowView) throws -> Result) throws -> Result {
        let arena = ByteArena()
        try encode(value, into: arena)
        return try body(RowView(arena[0..<arena.count]))
    }
}

extension [FieldLayout] {
    /// The values of these fields in `row`, or `nil` if one is missing.
    func values(of row: RowView) throws(RowDamage) -> [FieldValue]? {
        var values: [FieldValue] = []
        for field in self {
            guard let value = try FieldValue(row, field: field) else { return nil }
            values.append(value)
        }
        return values
    }

    /// The condition that these fields have `values`.
    func equal(_ values: [FieldValue]) -> QueryPredicate {
        .and(zip(self, values).map { .field($0.name, .equal($1)) })
    }

    /// The condition that these fields have one of `values`.
    func equalAny(_ values: Set<[FieldValue]>) -> QueryPredicate {
        guard values.count == 1, let only = values.first else { return .or(values.map(equal)) }
        return equal(only)
    }

    /// The primary key of the record of `model` to which these fields of `row` refer, or `nil` if one is missing.
    func key(of row: RowView, as model: ModelLayout) throws -> [UInt8]? {
        try withKey(of: row, as: model) { $0.map { [UInt8]($0) } }
    }

    /// Calls `body` with the primary key of the record of `model` to which these fields of `row` refer.
    ///
    /// `body` gets `nil` if a field is missing, or if the values are longer than any key.
    @inline(__always)
    func withKey<Result>(
        of row: RowView, as model: ModelLayout, _ body: (UnsafeRawBufferPointer?) throws -> Result
    ) throws -> Result {
        try withUnsafeTemporaryAllocation(byteCount: Limits.keyByteCount, alignment: 8) { buffer in
            var encoder = KeyEncoder(buffer)
            for (field, keyField) in zip(self, model.keyFields) {
                guard let value = try row.value(field.slot) else { return try body(nil) }
                if keyField.kind == .id {
                    encoder.append(id: value)
                } else {
                    try encoder.appendComponent(of: row, field: field)
                }
            }
            return try body(encoder.isOverflowing ? nil : encoder.bytes)
        }
    }
}

extension [[UInt8]] {
    /// These keys sorted, without duplicates.
    func sortedAndUnique() -> [[UInt8]] {
        var unique: [[UInt8]] = []
        unique.reserveCapacity(count)
        for key in sorted(by: { $0.precedes($1) }) where unique.last != key { unique.append(key) }
        return unique
    }
}

/// Follows relations in one consistent view of the rows.
package struct RelatedReader {
    let rows: any AdapterReader
    let layout: SchemaLayout
    /// The store in which values from this reader find their relations later.
    let store: StoreHandle?

    init(rows: any AdapterReader, layout: SchemaLayout, store: StoreHandle) {
        self.rows = rows
        self.layout = layout
        self.store = store
    }

    /// Passes the records to which `relation` leads from the record with `row` to `body`, until it returns false.
    ///
    /// `selection` defines the records and their order.
    func forEach(
        _ relation: RelationLayout, of row: RowView, _ selection: Selection, _ body: (StoredRow) throws -> Bool
    ) throws {
        switch relation.path {
        case .ownKey(let fields):
            let key = try fields.key(of: row, as: relation.target)
            try forEach(relation.target, under: key.map { [$0] } ?? [], selection, body)
        case .otherFields(let own, let other, let order):
            guard let values = try own.values(of: row) else { return }
            let sort = selection.sort ?? Sort(order.map { Sort.Key($0) })
            let isByKey = sort.keys.isEmpty && selection.after != nil
            try RecordQuery(
                relation.target, where: other.equal(values) && selection.predicate, sort: sort,
                page: isByKey ? Page(limit: selection.page.limit) : selection.page,
                afterKey: isByKey ? selection.after : nil, in: self
            ).fetch(body)
        case .join(let join, let own, let other):
            try forEach(
                relation.target, under: keys(relation, in: join, own: own, other: other, of: row), selection, body)
        }
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

    /// Passes the records of `model` with `keys`, which are sorted, to `body`.
    private func forEach(
        _ model: ModelLayout, under keys: [[UInt8]], _ selection: Selection, _ body: (StoredRow) throws -> Bool
    ) throws {
        let sort = selection.sort ?? .byKey
        let query = try RecordQuery(model, where: selection.predicate, sort: sort, in: self)
        // The bytes after which the page begins, in the query's order.
        let place = try selection.page.anchor.map { try query.order(of: $0) }
        guard sort.keys.isEmpty else {
            return try forEachSorted(query, under: keys, after: place, selection.page, body)
        }
        let after = selection.after ?? place
        var window = PageWindow(after == nil ? selection.page : Page(limit: selection.page.limit))
        for key in keys where after.map({ $0.precedes(key) }) ?? true {
            guard window.hasRoom else { return }
            let goesOn = try withRow(under: key, in: model) { row in
                guard let row, try query.holds(for: row), window.admitsNext() else { return true }
                return try body(row)
            }
            guard goesOn else { return }
        }
    }

    private func forEachSorted(
        _ query: RecordQuery, under keys: [[UInt8]], after place: [UInt8]?, _ page: Page,
        _ body: (StoredRow) throws -> Bool
    ) throws {
        var places: [(order: [UInt8], key: [UInt8])] = []
        for key in keys {
            try withRow(under: key, in: query.model) { row in
                guard let row, try query.holds(for: row) else { return }
                let order = try query.order(of: row.row, key: key)
                if place.map({ $0.precedes(order) }) ?? true { places.append((order, key)) }
            }
        }
        places.sort { $0.order.precedes($1.order) }
        for place in page.slice(of: places) {
            let goesOn = try withRow(under: place.key, in: query.model) { try $0.map(body) ?? true }
            guard goesOn else { return }
        }
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

    /// The first record that `relation` leads to from `owner`.
    func one<Owner, Target>(_ relation: Relation<Owner, Target>, of owner: Owner) throws -> Target? {
        var found: Target?
        try forEach(relation, of: owner, Selection(page: .first(1))) { row, model in
            found = try Target.decoded(row.row, model, store: store)
            return false
        }
        return found
    }

    /// All records to which `relation` leads from `owner`, limited and sorted by `selection`.
    func many<Owner, Target>(
        _ relation: Relation<Owner, Target>, of owner: Owner, _ selection: Selection
    ) throws -> [Target] {
        var found: [Target] = []
        try forEach(relation, of: owner, selection) { row, model in
            found.append(try Target.decoded(row.row, model, store: store))
            return true
        }
        return found
    }

    /// Passes all records to which `relation` leads from `owner` to `body`, with the layout of their type.
    func forEach<Owner, Target>(
        _ relation: Relation<Owner, Target>, of owner: Owner, _ selection: Selection,
        _ body: (StoredRow, ModelLayout) throws -> Bool
    ) throws {
        let found = try layout.relation(relation)
        let model = try layout.model(of: Target.self)
        try layout.model(of: Owner.self).withRow(of: owner) { row in
            try forEach(found, of: row, selection) { try body($0, model) }
        }
    }

    /// The part of the related records to read, and their order.
    struct Selection {
        var predicate = QueryPredicate.all
        /// The order, or `nil` for the relation's own order.
        var sort: Sort?
        var page = Page.all
        /// The key of the last record that was read. Reading in key order continues after it. Other orders continue by the
        /// page.
        var after: [UInt8]?
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
        let selection = Selection(predicate: predicate, sort: sort, page: page)
        try forEach(layout.relations.required(name, of: model), of: row, selection, body)
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

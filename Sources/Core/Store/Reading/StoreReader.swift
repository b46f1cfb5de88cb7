/// A view of a store: a snapshot, or a transaction with its own changes. Every read of a view is a method of this type.
///
/// Functions that only read take a `StoreReader`, so that they work in `read { snapshot in … }` and in `write { tx in … }`:
///
/// ```swift
/// func total(_ reader: StoreReader) throws -> Int { try reader.fetch(Item.all.sum(Item.keys.price)) }
/// ```
///
/// A view is valid inside the closure to which it was passed.
public class StoreReader {
    /// The layouts of all models.
    package let layout: SchemaLayout
    /// The store in which values from this view find their relations later.
    let store: StoreHandle

    init(layout: SchemaLayout, store: StoreHandle) {
        self.layout = layout
        self.store = store
    }

    /// The rows that this view shows. Each kind of view has its own.
    func visibleRows() throws -> any AdapterReader { preconditionFailure("each kind of view has rows") }

    /// The row of `model` under `key`, `nil` if there is none. It is valid until the next call. Each kind of view has its own
    /// rows.
    func row(under key: UnsafeRawBufferPointer, in model: ModelLayout) throws -> StoredRow? {
        preconditionFailure("each kind of view has rows")
    }

    /// The rows that this view shows, with their relations.
    package final var related: RelatedReader {
        get throws { RelatedReader(rows: try visibleRows(), layout: layout, store: store) }
    }

    // MARK: Queries

    /// The records of `query`, in its order, with the related records that it includes.
    ///
    /// - Throws: ``DataStoreError``: `unknownModel`; `invalidPredicate` if a field or relation is unknown or a value does not
    ///   fit; `projectionUnavailable`, `closed`.
    public final func fetch<Value: Fetchable>(_ query: Query<Value>) throws -> [Value] {
        guard query.inclusions.isEmpty else { return try EagerLoading.load(query, in: related).values }
        // An array of records is cast once, so that the records can be decoded with one decoder.
        if Value.self == Record.self, let records = try records(query) as Any as? [Value] { return records }
        return try related.fetch(query)
    }

    /// The value of `aggregate`, for example a sum.
    ///
    /// - Throws: The errors of ``fetch(_:)-(Query<Value>)``.
    public final func fetch<Value>(_ aggregate: Aggregate<Value>) throws -> Value { try aggregate.compute(related) }

    /// Passes the records of `query` to `body`, one at a time and in order, until `body` returns false.
    ///
    /// The records are collected first only if the order requires a sort. Relations are not loaded with them.
    public final func forEach<Value: Fetchable>(_ query: Query<Value>, _ body: (Value) throws -> Bool) throws {
        let model = try layout.model(of: query)
        try RecordQuery(query, model, in: related).fetch { row in
            try body(Value.decoded(row.row, model, store: store))
        }
    }

    /// The number of records of `query`, with regard to its page.
    public final func count<Value>(_ query: Query<Value>) throws -> Int {
        try RecordQuery(query, layout.model(of: query), in: related).count()
    }

    /// The plan of `query`: the index that it uses, and whether it sorts.
    public final func plan<Value>(_ query: Query<Value>) throws -> QueryPlan {
        try RecordQuery(query, layout.model(of: query), in: related).plan()
    }

    private final func records<Value>(_ query: Query<Value>) throws -> [Record] {
        var records: [Record] = []
        let model = try layout.model(of: query)
        var decoder = RecordDecoder(layout: model)
        try RecordQuery(query, model, in: related).fetch { row in
            records.append(try decoder.record(row.row))
            return true
        }
        return records
    }

    // MARK: One record

    /// The record of `type` whose key is the text `id`, `nil` if there is none.
    ///
    /// - Throws: ``DataStoreError``: `unknownModel`, `invalidValue` if the model's key is not one text,
    ///   `projectionUnavailable`, `closed`.
    public final func query<Value: Model>(_ type: Value.Type, id: String) throws -> Value? {
        let model = try layout.model(of: type)
        return try model.withKey(ofText: id) { try row(under: $0, in: model).map { try decoded($0, model) } }
    }

    /// The record of `type` that has `id`, `nil` if there is none.
    public final func query<Value: Model>(_ type: Value.Type, id: ModelID<Value>) throws -> Value? {
        let model = try layout.model(of: type)
        return try model.withKey(of: id.recordID) { try row(under: $0, in: model).map { try decoded($0, model) } }
    }

    /// The dynamic record of the model called `name` that has `id`, `nil` if there is none.
    public final func record(_ name: String, id: RecordID) throws -> Record? {
        let model = try layout.required(name)
        return try model.withKey(of: id) { try row(under: $0, in: model).map { try Record($0.row, layout: model) } }
    }

    private final func decoded<Value: Model>(_ row: StoredRow, _ model: ModelLayout) throws -> Value {
        try Value.decoded(row.row, model, store: store)
    }

    // MARK: Rows

    /// Calls `body` with the stored row of the record that has `id`, as this view shows it; `nil` if there is none. The row is
    /// valid inside `body`, until something is staged.
    package final func withRow<Result>(
        of id: RecordID, in model: ModelLayout, _ body: (RowView?) throws -> Result
    ) throws -> Result {
        try model.withKey(of: id) { key in try body(row(under: key, in: model)?.row) }
    }

    /// Passes the stored rows of `query` to `body`, with the layout of their model, until `body` returns false.
    ///
    /// - Parameter key: The stored key of a row, which may be deleted by now. Rows up to and including this key are
    ///   skipped. Use it for queries in key order whose page does not begin with a record.
    @_spi(Adapters) public final func forEachRow(
        _ query: Query<Record>, after key: [UInt8]? = nil, _ body: (StoredRow, ModelLayout) throws -> Bool
    ) throws {
        precondition(
            key == nil || query.page.anchor == nil, "a page begins after a key or after a record, not after both")
        let model = try layout.model(of: query)
        try RecordQuery(
            model, where: query.predicate, sort: query.sort, page: query.page, afterKey: key, in: related
        ).fetch { try body($0, model) }
    }
}

/// A consistent view of a store, as `read { snapshot in … }` passes it to its closure. It is valid inside this closure.
/// A later use throws `closed`.
public final class StoreSnapshot {
    private var rows: RowsSnapshot?
    /// The layouts of all models.
    package let layout: SchemaLayout
    let store: StoreHandle
    private let auxiliaryTables: [AuxiliaryTable]

    init(_ generation: Generation, _ rows: RowsSnapshot) {
        self.rows = rows
        layout = generation.layout
        store = generation.store
        auxiliaryTables = generation.rows.auxiliaryTables
    }

    /// Creates a view of the rows of a store whose log cannot be opened. The rows' files are closed when the view ends.
    package init(of rows: any AdapterSnapshot, closing files: RowsFiles, _ layout: SchemaLayout) {
        self.rows = RowsSnapshot(rows, closing: files)
        self.layout = layout
        store = StoreHandle()
        auxiliaryTables = AuxiliaryTable.builtIn
    }

    deinit { end() }

    /// The adapter's snapshot.
    var reader: any AdapterSnapshot {
        get throws {
            guard let rows else { throw DataStoreError.ended }
            return rows.reader
        }
    }

    /// Ends the view.
    package func end() { rows.take()?.end() }

    /// The last event that the view contains.
    public var sequence: SequenceNumber { get throws { try reader.checkpoint()?.sequence ?? .zero } }

    /// The record of `type` whose key is the text `id`, `nil` if there is none.
    public func query<Value: Model>(_ type: Value.Type, id: String) throws -> Value? {
        try query(type, recordID: RecordID(id))
    }

    /// The record of `type` that has `id`, `nil` if there is none.
    public func query<Value: Model>(_ type: Value.Type, id: ModelID<Value>) throws -> Value? {
        try query(type, recordID: id.recordID)
    }

    func query<Value: Model>(_ type: Value.Type, recordID: RecordID) throws -> Value? {
        let model = try layout.model(of: type)
        return try model.withKey(of: recordID) { key in
            try reader.get(key, in: model).map { try Value.decoded($0.row, model, store: store) }
        }
    }

    /// The records of `type` that `predicate` holds for, in the order of `sort`.
    public func query<Value: Model>(
        _ type: Value.Type, where predicate: ModelPredicate<Value> = .all, sort: Sort = .byKey, page: Page = .all
    ) throws -> [Value] {
        var values: [Value] = []
        try forEach(type, where: predicate, sort: sort, page: page) { value in
            values.append(value)
            return true
        }
        return values
    }

    /// Passes the records of `type` that `predicate` holds for to `body`, one at a time, until `body` returns false.
    /// The records are collected only if the order requires a sort.
    public func forEach<Value: Model>(
        _ type: Value.Type, where predicate: ModelPredicate<Value> = .all, sort: Sort = .byKey, page: Page = .all,
        _ body: (Value) throws -> Bool
    ) throws {
        let model = try layout.model(of: type)
        try RecordQuery(model, where: predicate.queryPredicate, sort: sort, page: page, in: related).fetch { row in
            try body(Value.decoded(row.row, model, store: store))
        }
    }

    /// How many records of `type` `predicate` holds for.
    public func count<Value: Model>(_ type: Value.Type, where predicate: ModelPredicate<Value> = .all) throws -> Int {
        try RecordQuery(layout.model(of: type), where: predicate.queryPredicate, in: related).count()
    }

    /// The value under `key` in the table of the projection called `name`, `nil` if there is none.
    ///
    /// - Throws: ``DataStoreError`` with code `notFound` if no such projection is registered.
    public func projectedValue(_ name: String, for key: [UInt8]) throws -> [UInt8]? {
        let table = try projectionTable(name)
        return try key.withUnsafeBytes { try reader.auxiliaryValue($0, in: table).map { Array($0) } }
    }

    /// Passes the keys and values of the projection called `name` to `body`, in key order, until `body` returns false.
    public func forEachProjected(
        _ name: String, after key: [UInt8]? = nil, _ body: ([UInt8], [UInt8]) throws -> Bool
    ) throws {
        try reader.auxiliaryEntries(after: key, in: projectionTable(name)) { try body(Array($0), Array($1)) }
    }

    private func projectionTable(_ name: String) throws -> AuxiliaryTable {
        guard let table = auxiliaryTables.dropFirst(AuxiliaryTable.builtIn.count).first(where: { $0.name == name })
        else {
            throw DataStoreError(
                .notFound, "No projection \(name) is registered.", recovery: "Register it when the store is opened.")
        }
        return table
    }

    /// The dynamic record of the model called `name` that has `id`, `nil` if there is none.
    public func record(_ name: String, id: RecordID) throws -> Record? {
        let model = try layout.required(name)
        return try model.withKey(of: id) { key in
            try reader.get(key, in: model).map { try Record($0.row, layout: model) }
        }
    }

    /// The dynamic records of the model called `name` that `predicate` holds for, in the order of `sort`.
    public func records(
        _ name: String, where predicate: QueryPredicate = .all, sort: Sort = .byKey, page: Page = .all
    ) throws -> [Record] {
        var records: [Record] = []
        var decoder = RecordDecoder(layout: try layout.required(name))
        try forEachRow(name, where: predicate, sort: sort, page: page) { row, _ in
            records.append(try decoder.record(row.row))
            return true
        }
        return records
    }

    /// Passes the stored rows of the model called `name` that `predicate` holds for to `body`, until `body` returns false.
    ///
    /// - Parameter key: The stored key of a row, which may be deleted by now. Rows up to and including this key are
    ///   skipped. Use it for queries in key order whose page does not begin with a record.
    @_spi(Adapters) public func forEachRow(
        _ name: String, where predicate: QueryPredicate = .all, sort: Sort = .byKey, page: Page = .all,
        after key: [UInt8]? = nil, _ body: (StoredRow, ModelLayout) throws -> Bool
    ) throws {
        precondition(key == nil || page.anchor == nil, "a page begins after a key or after a record, not after both")
        let model = try layout.required(name)
        try RecordQuery(model, where: predicate, sort: sort, page: page, afterKey: key, in: related).fetch {
            try body($0, model)
        }
    }

    /// How many records of a page in key order the model called `name` has that `predicate` holds for.
    public func count(_ name: String, where predicate: QueryPredicate = .all, page: Page = .all) throws -> Int {
        try RecordQuery(layout.required(name), where: predicate, page: page, in: related).count()
    }

    /// The plan of a query of `type`: the index that it uses, and whether it sorts.
    public func plan<Value: Model>(
        _ type: Value.Type, where predicate: ModelPredicate<Value> = .all, sort: Sort = .byKey, page: Page = .all
    ) throws -> QueryPlan {
        try plan(layout.model(of: type).name, where: predicate.queryPredicate, sort: sort, page: page)
    }

    /// The plan of a query of the model called `name`: the index that it uses, and whether it sorts.
    public func plan(
        _ name: String, where predicate: QueryPredicate = .all, sort: Sort = .byKey, page: Page = .all
    ) throws -> QueryPlan {
        try RecordQuery(layout.required(name), where: predicate, sort: sort, page: page, in: related).plan()
    }

    /// The latest server state of a record, `nil` if there is none.
    public func serverState(_ name: String, id: RecordID) throws -> ServerState? {
        let model = try layout.required(name)
        return try model.withKey(of: id) { try reader.serverState(model.number, $0) }
    }

    /// The hash over all rows. It is equal for every adapter that has the same content.
    public func stateHash() throws -> StateHash { try StateHash(of: reader, schema: layout) }

    /// Calls `body` with the stored row of the record that has `id`, `nil` if there is none. The row is valid inside
    /// `body`.
    package func withRow<Result>(
        of id: RecordID, in model: ModelLayout, _ body: (RowView?) throws -> Result
    ) throws -> Result {
        try model.withKey(of: id) { key in try body(reader.get(key, in: model)?.row) }
    }

    /// The records that the index query `query` selects, in the order of the index.
    public func query<Value: Model>(_ query: IndexQuery<Value>, page: Page = .all) throws -> [Value] {
        try self.query(Value.self, where: query.predicate, sort: query.sort, page: page)
    }
}

extension DataStoreError {
    fileprivate static var ended: DataStoreError {
        DataStoreError(
            .closed, "The snapshot was used after its closure had returned.",
            recovery: "Use it inside the closure, or read again.")
    }
}

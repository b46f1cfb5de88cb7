extension StoreSnapshot {
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

    /// Passes the stored rows of the model called `name` that `predicate` holds for to `body`, until `body` returns
    /// false.
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
}

extension StoreSnapshot {
    /// Calls `body` with the stored row of the record that has `id`, `nil` if there is none. The row is valid inside
    /// `body`.
    package func withRow<Result>(
        of id: RecordID, in model: ModelLayout, _ body: (RowView?) throws -> Result
    ) throws -> Result {
        try model.withKey(of: id) { key in try body(reader.get(key, in: model)?.row) }
    }
}

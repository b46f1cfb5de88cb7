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

    /// Hands the stored rows of the model called `name` that `predicate` holds for to `body`, until it returns false.
    ///
    /// - Parameter key: The stored key of a row, of one that is gone too: rows up to and including it are left out. For
    ///   queries in key order whose page begins with no record.
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

    /// How many records of the model called `name` `predicate` holds for, of a page in key order.
    public func count(_ name: String, where predicate: QueryPredicate = .all, page: Page = .all) throws -> Int {
        try RecordQuery(layout.required(name), where: predicate, page: page, in: related).count()
    }

    /// How a query of `type` would be answered: by which index, and whether it sorts.
    public func plan<Value: Model>(
        _ type: Value.Type, where predicate: ModelPredicate<Value> = .all, sort: Sort = .byKey, page: Page = .all
    ) throws -> QueryPlan {
        try plan(layout.model(of: type).name, where: predicate.queryPredicate, sort: sort, page: page)
    }

    /// How a query of the model called `name` would be answered: by which index, and whether it sorts.
    public func plan(
        _ name: String, where predicate: QueryPredicate = .all, sort: Sort = .byKey, page: Page = .all
    ) throws -> QueryPlan {
        try RecordQuery(layout.required(name), where: predicate, sort: sort, page: page, in: related).plan()
    }

    /// What the server said last about a record, `nil` if it said nothing.
    public func serverState(_ name: String, id: RecordID) throws -> ServerState? {
        let model = try layout.required(name)
        return try model.withKey(of: id) { try reader.serverState(model.number, $0) }
    }

    /// The hash over all rows: equal on every adapter that holds the same content.
    public func stateHash() throws -> StateHash { try StateHash(of: reader, schema: layout) }
}

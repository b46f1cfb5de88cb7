extension StoreTransaction {
    /// The record of `type` whose key is the text `id`, `nil` if there is none.
    public func query<Value: Model>(_ type: Value.Type, id: String) throws -> Value? {
        try query(type, recordID: RecordID(id))
    }

    /// The record of `type` that has `id`, `nil` if there is none.
    public func query<Value: Model>(_ type: Value.Type, id: ModelID<Value>) throws -> Value? {
        try query(type, recordID: id.recordID)
    }

    private func query<Value: Model>(_ type: Value.Type, recordID: RecordID) throws -> Value? {
        requireOpen()
        let model = try layout.model(of: type)
        return try model.withKey(of: recordID) { key in
            try currentRow(key, model).map { try Value.decoded($0.row, model, store: store) }
        }
    }

    /// The dynamic record of the model called `name` that has `id`, `nil` if there is none.
    public func record(_ name: String, id: RecordID) throws -> Record? {
        requireOpen()
        let model = try model(named: name)
        return try model.withKey(of: id) { key in
            try currentRow(key, model).map { try Record($0.row, layout: model) }
        }
    }

    /// The records of `type` that `predicate` holds for, in the order of `sort`.
    public func query<Value: Model>(
        _ type: Value.Type, where predicate: ModelPredicate<Value> = .all, sort: Sort = .byKey, page: Page = .all
    ) throws -> [Value] {
        let model = try layout.model(of: type)
        var values: [Value] = []
        try RecordQuery(model, where: predicate.queryPredicate, sort: sort, page: page, in: relatedReader()).fetch {
            row in
            values.append(try Value.decoded(row.row, model, store: store))
            return true
        }
        return values
    }

    /// The dynamic records of the model called `name` that `predicate` holds for, in the order of `sort`.
    public func records(
        _ name: String, where predicate: QueryPredicate = .all, sort: Sort = .byKey, page: Page = .all
    ) throws -> [Record] {
        let model = try model(named: name)
        var records: [Record] = []
        try RecordQuery(model, where: predicate, sort: sort, page: page, in: relatedReader()).fetch { row in
            records.append(try Record(row.row, layout: model))
            return true
        }
        return records
    }

    /// How many records of `type` `predicate` holds for.
    public func count<Value: Model>(_ type: Value.Type, where predicate: ModelPredicate<Value> = .all) throws -> Int {
        try RecordQuery(layout.model(of: type), where: predicate.queryPredicate, in: relatedReader()).count()
    }
}

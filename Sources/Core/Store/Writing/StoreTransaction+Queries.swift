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

extension StoreTransaction {
    /// The records that the index query `query` selects, in the order of the index.
    public func query<Value: Model>(_ query: IndexQuery<Value>, page: Page = .all) throws -> [Value] {
        try self.query(Value.self, where: query.predicate, sort: query.sort, page: page)
    }
}

extension StoreTransaction {
    /// Calls `body` with the row of the record that has `id`, as this transaction sees it; `nil` if there is none. The
    /// row is valid until something is staged.
    package func withRow<Result>(
        of id: RecordID, in model: ModelLayout, _ body: (RowView?) throws -> Result
    ) throws -> Result {
        requireOpen()
        return try model.withKey(of: id) { key in try body(currentRow(key, model)?.row) }
    }

    /// Whether saving `row` would change nothing, because its record already has the same values, as this transaction sees it.
    package func holds(_ row: RowView, of model: ModelLayout) throws -> Bool {
        requireOpen()
        return try withUnsafeTemporaryAllocation(byteCount: Limits.keyByteCount, alignment: 8) { buffer in
            var encoder = KeyEncoder(buffer)
            try encoder.appendPrimaryKey(of: row, layout: model)
            guard !encoder.isOverflowing, let present = try currentRow(encoder.bytes, model)?.row else { return false }
            if ByteComparison.order(present.bytes, row.bytes) == 0 { return true }
            // A row of an earlier schema has other bytes for the same values.
            return try model.row.fields.allSatisfy { field in
                switch (try present.value(field.slot), try row.value(field.slot)) {
                case (nil, nil): true
                case (let old?, let new?): ByteComparison.order(old, new) == 0
                // A field that the code does not know keeps its value.
                case (_?, nil): model.codeRow.map { $0.field(named: field.name) == nil } ?? false
                case (nil, _?): false
                }
            }
        }
    }

    /// Saves an encoded row of `model`, which its encoder has checked, if the record's present row satisfies
    /// `condition`.
    package func save(
        _ row: RowView, of model: ModelLayout, where condition: QueryPredicate, origin: Origin = .local
    ) throws {
        guard condition != .all else { return try save(row, of: model, origin: origin) }
        // The bytes of the fields are copied unchanged. A dynamic record would replace missing values by defaults.
        var values: [[UInt8]?] = []
        for field in model.row.fields { values.append(try row.value(field.slot).map { Array($0) }) }
        try stageSave(model, .predicate(condition), origin: origin) { encoder in
            for value in values {
                if let value { value.withUnsafeBytes { encoder.encode(bytes: $0) } } else { encoder.encodeMissing() }
            }
        }
    }
}

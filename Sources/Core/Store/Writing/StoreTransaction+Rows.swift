extension StoreTransaction {
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

extension DataStore {
    /// The value of `type` with the fields of `record`. Its relations can be followed, as if it had been read from the
    /// store.
    ///
    /// - Throws: ``DataStoreError``: `unknownModel`; `invalidSchema` if the type has other fields than the store;
    ///   `invalidValue` if the record belongs to another model, or a field does not fit; `closed`.
    public func value<Value: Model>(_ type: Value.Type, from record: Record) throws -> Value {
        let model = try current().layout.model(of: type)
        guard record.model == model.name else {
            throw DataStoreError(
                .invalidValue, "A record of \(record.model) is no \(model.name).", model: model.name,
                recovery: "Use the type of \(record.model).")
        }
        return try EncodedRow(record, layout: model).withRow { _, row in
            try Value.decoded(row, model, store: handle)
        }
    }

    /// The dynamic record with the fields of `value`.
    ///
    /// - Throws: ``DataStoreError``: `unknownModel`; `invalidSchema` if the type has other fields than the store;
    ///   `invalidValue` if a field exceeds a limit; `closed`.
    public func record<Value: Model>(of value: Value) throws -> Record {
        let model = try current().layout.model(of: Value.self)
        let arena = ByteArena()
        try model.encode(value, into: arena)
        return try Record(RowView(arena[0..<arena.count]), layout: model)
    }
}

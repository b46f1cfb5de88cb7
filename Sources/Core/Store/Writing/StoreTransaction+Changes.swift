extension StoreTransaction {
    /// Saves `value`: inserts it, or replaces the record with the same id.
    ///
    /// - Parameter condition: The condition that the present record must satisfy. The value `.all` is no condition.
    /// - Throws: ``DataStoreError``: `conditionFailed` if the condition is false or there is no record to check it on,
    ///   `invalidValue` if a value may not be stored, `ruleBroken` if a new value breaks a rule of its field,
    ///   `transactionTooLarge`. The end of the write may throw
    ///   `parentMissing`, and `alreadyExists` if another record already has the partner of a one-to-one relation.
    public func save<Value: Model>(_ value: Value, where condition: ModelPredicate<Value> = .all) throws {
        try stageSave(layout.model(of: Value.self), WriteCondition(condition.queryPredicate)) {
            value.encode(into: &$0)
        }
    }

    /// Saves every value of `values`.
    public func save<Value: Model>(_ values: some Sequence<Value>) throws {
        let model = try layout.model(of: Value.self)
        try values.forEachBorrowed { value in try stageSave(model, .none) { value.encode(into: &$0) } }
    }

    /// Inserts `value`. No record may have its id.
    ///
    /// - Throws: ``DataStoreError`` with code `alreadyExists` if a record has its id.
    public func insert<Value: Model>(_ value: Value) throws {
        try stageSave(layout.model(of: Value.self), .insert) { value.encode(into: &$0) }
    }

    /// Updates the record that has the id of `value`. The record must exist.
    ///
    /// - Throws: ``DataStoreError`` with code `notFound` if no record has its id.
    public func update<Value: Model>(_ value: Value) throws {
        try stageSave(layout.model(of: Value.self), .update) { value.encode(into: &$0) }
    }

    /// Saves a dynamic record: inserts it, or replaces the record with the same id.
    ///
    /// - Throws: The errors of ``save(_:where:)``, and ``DataStoreError`` with code `unknownModel`.
    public func save(_ record: Record, where condition: QueryPredicate = .all) throws {
        try save(record, where: condition, origin: .local)
    }

    package func save(_ record: Record, where condition: QueryPredicate = .all, origin: Origin) throws {
        let model = try model(named: record.model)
        if let known = model.codeRow {
            return try stageRetaining(
                model, knowing: known, named: Set(record.values.keys), if: WriteCondition(condition), origin: origin
            ) {
                try record.encode(into: &$0, layout: model)
            }
        }
        try stageSave(model, WriteCondition(condition), origin: origin) { try record.encode(into: &$0, layout: model) }
    }

    /// Saves an encoded row of `model`, which its encoder has checked. Importers use this method.
    package func save(_ row: RowView, of model: ModelLayout, origin: Origin = .local) throws {
        requireOpen()
        if let known = model.codeRow {
            return try stageRetaining(row, of: model, knowing: known, if: .none, origin: origin) { field in
                // The encoder of the row has replaced missing values by defaults. A value that equals the default
                // therefore does not count as given.
                let value = try row.value(field.slot)
                return field.defaultBytes.map { bytes in
                    bytes.withUnsafeBytes { bytes in value.map { ByteComparison.order($0, bytes) != 0 } ?? true }
                } ?? true
            }
        }
        var header = EventHeader(kind: .saved, schemaVersion: layout.schema.version)
        if origin == .remote { header.flags.insert(.remote) }
        let index = try staged.stageEncoded(row.bytes, model, header: header)
        if !model.row.ruledFields.isEmpty, origin == .local { try checkRules(at: index, model) }
    }

    /// Deletes the record of `type` that has `id`. Returns whether there was such a record. If there was none, nothing
    /// happens, even with a condition.
    ///
    /// - Parameters:
    ///   - condition: The condition that the present record must satisfy. The value `.all` is no condition.
    ///   - cascading: Whether the records that belong to the record are also deleted, at every level. There is one
    ///     event for each record, children first. A record belongs to the record whose `@hasMany` or `@hasOne` finds it
    ///     by the whole key. It also belongs to a record whose `@hasOne` is the counterpart of its `@belongsTo`. A
    ///     record that joins two records belongs to both.
    /// - Throws: ``DataStoreError``: `conditionFailed` if there is a record and the condition is false;
    ///   `transactionTooLarge`.
    @discardableResult
    public func delete<Value: Model>(
        _ type: Value.Type, id: ModelID<Value>, where condition: ModelPredicate<Value> = .all, cascading: Bool = true
    ) throws -> Bool {
        try delete(layout.model(of: type).name, id: id.recordID, where: condition.queryPredicate, cascading: cascading)
    }

    /// Deletes the record of `type` whose key is the text `id`. Returns whether there was such a record.
    @discardableResult
    public func delete<Value: Model>(
        _ type: Value.Type, id: String, where condition: ModelPredicate<Value> = .all, cascading: Bool = true
    ) throws -> Bool {
        try delete(layout.model(of: type).name, id: RecordID(id), where: condition.queryPredicate, cascading: cascading)
    }

    /// Deletes the record of the model called `name` that has `id`. Returns whether there was such a record.
    @discardableResult
    public func delete(
        _ name: String, id: RecordID, where condition: QueryPredicate = .all, cascading: Bool = true
    ) throws -> Bool {
        let model = try model(named: name)
        return try model.withKey(of: id) {
            try stageDelete($0, model, condition: condition, cascading: cascading)
        }
    }

    /// Deletes the record that has the id of `value`. Returns whether there was such a record.
    @discardableResult
    public func delete<Value: Model>(
        _ value: Value, where condition: ModelPredicate<Value> = .all, cascading: Bool = true
    ) throws -> Bool {
        let model = try layout.model(of: Value.self)
        return try model.key(of: value).withUnsafeBytes {
            try stageDelete($0, model, condition: condition.queryPredicate, cascading: cascading)
        }
    }

    /// Deletes every record of `query`. Returns how many, without the records that belonged to them.
    ///
    /// The event of each selected record has the text of the query's condition as its ``Event/condition``, so that a server can
    /// check it on its own state of the record. ``QueryPredicate/all`` is no condition. A condition that follows relations is
    /// none either, because a server checks a condition on one record. The events of records that are deleted because they
    /// belong to another record have no condition.
    ///
    /// - Throws: ``DataStoreError``: `invalidPredicate`; `transactionTooLarge`, for which the texts of the conditions
    ///   also count.
    @discardableResult
    public func delete<Value>(all query: Query<Value>, cascading: Bool = true) throws -> Int {
        let model = try layout.model(of: query).stored
        let query = query.origin == nil ? query : try query.resolved(in: related)
        let keys = try keys(of: model, query)
        let sections = EventSections(selectedBy: query.predicate, of: model)
        try stageDeletes(of: model, under: keys, cascading: cascading, sections: sections)
        return keys.count
    }
}

extension ModelLayout {
    /// The encoded primary key of `value`.
    func key<Value: Model>(of value: Value) throws -> [UInt8] {
        let arena = ByteArena()
        try encode(value, into: arena)
        return try primaryKey(of: RowView(arena[0..<arena.count]))
    }
}

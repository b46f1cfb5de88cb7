extension DataStore {
    /// Calls `body` with a consistent view of the store. The closure should be short, because storage that the view
    /// shows cannot be used again until it returns.
    public func read<Value>(_ body: (StoreSnapshot) throws -> Value) async throws -> Value { try withSnapshot(body) }

    /// Calls `body` with a consistent view of the store, as ``read(_:)`` does, but for callers that are not asynchronous.
    func withSnapshot<Value>(_ body: (StoreSnapshot) throws -> Value) throws -> Value {
        let snapshot = try openSnapshot()
        defer { snapshot.end() }
        return try body(snapshot)
    }

    /// A consistent view of the store. The caller must end it.
    func openSnapshot() throws -> StoreSnapshot {
        try readable { try StoreSnapshot($0, $0.rows.snapshot()) }
    }

    /// Calls `body` with the present generation of the store. If the store was cleared before `body` could read, this
    /// method calls `body` again.
    @inline(__always)
    func readable<Result>(_ body: (Generation) throws -> Result) throws -> Result {
        while true {
            let generation = try current()
            do { return try body(generation) } catch let error as DataStoreError where error.code == .storeCleared {}
        }
    }

    /// The record of `type` whose key is the text `id`, `nil` if there is none.
    ///
    /// - Throws: ``DataStoreError``: `unknownModel`, `invalidValue` if the model's key is not one text,
    ///   `projectionUnavailable`, `closed`.
    nonisolated(nonsending) public func query<Value: Model>(_ type: Value.Type, id: String) async throws -> Value? {
        try readable { generation in
            let model = try generation.layout.model(of: type)
            return try model.withKey(ofText: id) { key in
                try generation.rows.row(key, in: model) { try $0.map { try Value.decoded($0, model, store: handle) } }
            }
        }
    }

    /// The record of `type` that has `id`, `nil` if there is none.
    nonisolated(nonsending) public func query<Value: Model>(_ type: Value.Type, id: ModelID<Value>) async throws
        -> Value?
    {
        try readable { generation in
            let model = try generation.layout.model(of: type)
            return try model.withKey(of: id.recordID) { key in
                try generation.rows.row(key, in: model) { try $0.map { try Value.decoded($0, model, store: handle) } }
            }
        }
    }

    /// The records of `type` that `predicate` holds for, in the order of `sort`.
    ///
    /// ```swift
    /// let best = try await store.query(
    ///     Note.self, where: Note.keys.rating > 4, sort: .descending(Note.keys.rating), page: .first(20))
    /// ```
    ///
    /// - Throws: ``DataStoreError`` with code `invalidPredicate` if a field is unknown or a value does not fit it, or
    ///   an error of ``query(_:id:)-(_,String)``.
    public func query<Value: Model>(
        _ type: Value.Type, where predicate: ModelPredicate<Value> = .all, sort: Sort = .byKey, page: Page = .all
    ) async throws -> [Value] {
        try await read { try $0.query(type, where: predicate, sort: sort, page: page) }
    }

    /// How many records of `type` `predicate` holds for.
    public func count<Value: Model>(_ type: Value.Type, where predicate: ModelPredicate<Value> = .all) async throws
        -> Int
    {
        try await read { try $0.count(type, where: predicate) }
    }

    /// The dynamic record of the model called `name` that has `id`, `nil` if there is none.
    nonisolated(nonsending) public func record(_ name: String, id: RecordID) async throws -> Record? {
        try readable { generation in
            let model = try generation.layout.required(name)
            return try model.withKey(of: id) { key in
                try generation.rows.row(key, in: model) { try $0.map { try Record($0, layout: model) } }
            }
        }
    }

    /// The dynamic records of the model called `name` that `predicate` holds for, in the order of `sort`.
    public func records(
        _ name: String, where predicate: QueryPredicate = .all, sort: Sort = .byKey, page: Page = .all
    ) async throws -> [Record] {
        try await read { try $0.records(name, where: predicate, sort: sort, page: page) }
    }
}

extension ModelLayout {
    /// Calls `body` with the encoded primary key of the record whose key is the text `id`.
    @inline(__always)
    func withKey<Result>(ofText id: String, _ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
        guard keyFields.count == 1, keyFields[0].kind == .id else { return try withKey(of: RecordID(id), body) }
        var id = id
        return try id.withUTF8 { text in
            try withUnsafeTemporaryAllocation(byteCount: Limits.keyByteCount, alignment: 8) { buffer in
                var encoder = KeyEncoder(buffer)
                encoder.append(id: UnsafeRawBufferPointer(text))
                guard !encoder.isOverflowing else { throw refusedKey() }
                return try body(encoder.bytes)
            }
        }
    }
}

extension DataStore {
    /// The records that the index query `query` selects, in the order of the index.
    public func query<Value: Model>(_ query: IndexQuery<Value>, page: Page = .all) async throws -> [Value] {
        try await self.query(Value.self, where: query.predicate, sort: query.sort, page: page)
    }
}

extension DataStore {
    /// The value of `type` with the fields of `record`. Its relations can be followed, as if it had been read from the store.
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

extension DataStore {
    /// The least value of `field` among the records that `predicate` holds for, `nil` if none has a value.
    public func min<Target: Model, Value: FieldConvertible & Sendable>(
        _ field: Field<Target, Value>, where predicate: ModelPredicate<Target> = .all
    ) async throws -> Value? {
        try await read { try $0.min(field, where: predicate) }
    }

    /// The greatest value of `field` among the records that `predicate` holds for, `nil` if none has a value.
    public func max<Target: Model, Value: FieldConvertible & Sendable>(
        _ field: Field<Target, Value>, where predicate: ModelPredicate<Target> = .all
    ) async throws -> Value? {
        try await read { try $0.max(field, where: predicate) }
    }

    /// The sum of `field` over the records that `predicate` holds for. A missing value counts as 0.
    ///
    /// - Throws: ``DataStoreError`` with code `invalidValue` if the sum does not fit into 64 bits.
    public func sum<Target: Model>(_ field: Field<Target, Int>, where predicate: ModelPredicate<Target> = .all)
        async throws -> Int
    {
        try await read { try $0.sum(field, where: predicate) }
    }

    /// The sum of `field` over the records that `predicate` holds for, in key order. A missing value counts as 0.
    public func sum<Target: Model>(
        _ field: Field<Target, Double>, where predicate: ModelPredicate<Target> = .all
    ) async throws -> Double {
        try await read { try $0.sum(field, where: predicate) }
    }

    /// The mean of `field` over the records that `predicate` holds for and that have a value, `nil` if none has.
    public func average<Target: Model>(
        _ field: Field<Target, Int>, where predicate: ModelPredicate<Target> = .all
    ) async throws -> Double? {
        try await read { try $0.average(field, where: predicate) }
    }

    /// The mean of `field` over the records that `predicate` holds for and that have a value, `nil` if none has.
    public func average<Target: Model>(
        _ field: Field<Target, Double>, where predicate: ModelPredicate<Target> = .all
    ) async throws -> Double? {
        try await read { try $0.average(field, where: predicate) }
    }
}

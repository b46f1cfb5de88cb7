extension DataStore {
    /// Calls `body` with a consistent view of the store. The closure should be short, because storage that the view
    /// shows cannot be used again until it returns.
    public func read<Value>(_ body: (StoreSnapshot) throws -> Value) async throws -> Value { try withSnapshot(body) }

    /// Calls `body` with a consistent view of the store, as ``read(_:)`` does, but for callers that are not asynchronous.
    package func withSnapshot<Value>(_ body: (StoreSnapshot) throws -> Value) throws -> Value {
        try state.withSnapshot(body)
    }

    /// The server's latest states of records, `nil` for a record without one. No event is projected for this.
    ///
    /// - Throws: ``DataStoreError``: `unknownModel`, `projectionUnavailable`, `closed`.
    package func serverStates(of records: [(model: String, id: RecordID)]) throws -> [ServerState?] {
        try state.readable { generation in
            try records.map { record in
                let model = try generation.layout.required(record.model)
                return try model.withKey(of: record.id) { try generation.rows.serverState($0, in: model) }
            }
        }
    }

    /// The record of `type` whose key is the text `id`, `nil` if there is none.
    ///
    /// - Throws: ``DataStoreError``: `unknownModel`, `invalidValue` if the model's key is not one text,
    ///   `projectionUnavailable`, `closed`.
    @inlinable
    nonisolated(nonsending) public func query<Value: Model>(_ type: Value.Type, id: String) async throws -> Value? {
        var value: Value?
        try withRow(of: type, under: .text(id)) { value = try Value(from: &$0) }
        return value
    }

    /// The record of `type` that has `id`, `nil` if there is none.
    @inlinable
    nonisolated(nonsending) public func query<Value: Model>(_ type: Value.Type, id: ModelID<Value>) async throws
        -> Value?
    {
        var value: Value?
        try withRow(of: type, under: .id(id.recordID)) { value = try Value(from: &$0) }
        return value
    }

    /// The dynamic record of the model called `name` that has `id`, `nil` if there is none.
    nonisolated(nonsending) package func record(_ name: String, id: RecordID) async throws -> Record? {
        var record: Record?
        try state.readable { generation in
            let model = try generation.layout.required(name)
            try generation.withRow(under: .id(id), in: model) { record = try Record(from: &$0) }
        }
        return record
    }

    /// The key of a record, as a caller gives it.
    @usableFromInline
    enum Key {
        case text(String)
        case id(RecordID)
    }

    /// Calls `body` with the row of a record of `type`, unless there is none.
    ///
    /// Only the caller knows the type of the result, so that it is not looked up in each read.
    @usableFromInline
    func withRow<Value: Model>(
        of type: Value.Type, under key: Key, _ body: (inout RowDecoder) throws -> Void
    ) throws {
        try state.readable { generation in
            let model = try generation.layout.model(of: type)
            try generation.withRow(under: key, in: model, body)
        }
    }

    /// The records of `type` that `predicate` holds for, in the order of `sort`: ``fetch(_:)-(Query<Value>)`` in Amplify's
    /// words.
    public func query<Value: Model>(
        _ type: Value.Type, where predicate: ModelPredicate<Value> = .all, sort: Sort = .byKey, page: Page = .all
    ) async throws -> [Value] {
        try await fetch(Value.where(predicate).sorted(by: sort).page(page))
    }
}

/// The reads of a ``StoreReader``, each in a view of its own.
extension DataStore {
    /// The records of `query`, in its order, with the related records that it includes. All belong to the same moment.
    ///
    /// ```swift
    /// let best = try await store.fetch(
    ///     Note.where(Note.keys.rating > 4).sorted(by: .descending(Note.keys.rating)).limit(20))
    /// ```
    ///
    /// - Throws: ``DataStoreError``: `unknownModel`; `invalidPredicate` if a field or relation is unknown or a value does not
    ///   fit; `projectionUnavailable`, `closed`.
    public func fetch<Value: Fetchable>(_ query: Query<Value>) async throws -> [Value] {
        try await read { try $0.fetch(query) }
    }

    /// The value of `aggregate`, for example a sum.
    ///
    /// - Throws: The errors of ``fetch(_:)-(Query<Value>)``.
    public func fetch<Value>(_ aggregate: Aggregate<Value>) async throws -> Value {
        try await read { try $0.fetch(aggregate) }
    }

    /// Passes the records of `query` to `body`, one at a time and in order, until `body` returns false.
    public func forEach<Value: Fetchable>(_ query: Query<Value>, _ body: (Value) throws -> Bool) async throws {
        try await read { try $0.forEach(query, body) }
    }

    /// The number of records of `query`, with regard to its page.
    public func count<Value>(_ query: Query<Value>) async throws -> Int { try await read { try $0.count(query) } }

    /// The plan of `query`: the index that it uses, and whether it sorts.
    public func plan<Value>(_ query: Query<Value>) async throws -> QueryPlan { try await read { try $0.plan(query) } }

    /// Lets values that were read from this store find the store again. The values do not keep the store open.
    ///
    /// They refer to the store's state. A weak reference to the store would make each use of the store count references more
    /// slowly.
    func attachHandle() {
        handle.attach(
            StoreHandle.Reading { [state] in
                try state.current().layout
            } read: { [state] body in
                try state.withSnapshot { try body($0.related) }
            })
    }
}

extension Generation {
    /// Calls `body` with the row of `model` under `key`, unless there is none.
    fileprivate func withRow(
        under key: DataStore.Key, in model: ModelLayout, _ body: (inout RowDecoder) throws -> Void
    ) throws {
        switch key {
        case .text(let text): try model.withKey(ofText: text) { try rows.withRow($0, in: model, from: store, body) }
        case .id(let id): try model.withKey(of: id) { try rows.withRow($0, in: model, from: store, body) }
        }
    }
}

extension StoreState {
    /// Calls `body` with the present generation of the store. If the store was cleared before `body` could read, this
    /// method calls `body` again.
    @inline(__always)
    func readable<Result>(_ body: (Generation) throws -> Result) throws -> Result {
        while true {
            let generation = try current()
            do { return try body(generation) } catch let error as DataStoreError where error.code == .storeCleared {}
        }
    }

    /// Calls `body` with a consistent view of the store.
    func withSnapshot<Value>(_ body: (StoreSnapshot) throws -> Value) throws -> Value {
        let snapshot = try openSnapshot()
        defer { snapshot.end() }
        return try body(snapshot)
    }

    /// A consistent view of the store. The caller must end it.
    func openSnapshot() throws -> StoreSnapshot {
        try readable { try StoreSnapshot($0, $0.rows.snapshot()) }
    }
}

extension Model {
    /// The value with the fields of `record`. Its relations can be followed, as if it had been read from the store.
    ///
    /// - Throws: ``DataStoreError``: `unknownModel`; `invalidSchema` if the type has other fields than the store;
    ///   `invalidValue` if the record belongs to another model, or a field does not fit; `closed`.
    public init(_ record: Record, in store: DataStore) throws {
        let model = try store.current().layout.model(of: Self.self)
        guard record.model == model.name else {
            throw DataStoreError(
                .invalidValue, "A record of \(record.model) is no \(model.name).", model: model.name,
                recovery: "Use the type of \(record.model).")
        }
        self = try EncodedRow(record, layout: model).withRow { _, row in
            try Self.decoded(row, model, store: store.handle)
        }
    }
}

extension Record {
    /// The record with the fields of `value`.
    ///
    /// - Throws: ``DataStoreError``: `unknownModel`; `invalidSchema` if the type has other fields than the store;
    ///   `invalidValue` if a field exceeds a limit; `closed`.
    public init<Value: Model>(_ value: Value, in store: DataStore) throws {
        let model = try store.current().layout.model(of: Value.self)
        let arena = ByteArena()
        try model.encode(value, into: arena)
        self = try Record(RowView(arena[0..<arena.count]), layout: model)
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

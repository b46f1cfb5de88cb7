/// A row and its primary key in memory of their own, for tools, tests and authors of adapters.
@_spi(Adapters) public struct EncodedRow: Sendable, Hashable {
    /// The encoded primary key (FORMATS, section 5).
    public let key: [UInt8]
    /// The encoded row (FORMATS, section 4).
    public let bytes: [UInt8]

    /// The encoding of `record`.
    ///
    /// - Throws: ``DataStoreError`` with code `invalidValue` if a value does not fit the model or a limit.
    public init(_ record: Record, layout: ModelLayout) throws {
        let arena = ByteArena()
        try layout.encode(record, into: arena)
        bytes = Array(arena[0..<arena.count])
        key = try bytes.withUnsafeBytes { bytes in try layout.primaryKey(of: RowView(bytes)) }
    }

    /// The encoding of a record that was stored: an optional field without a value stays without one, also if it has a default
    /// value.
    ///
    /// - Throws: ``DataStoreError`` with code `invalidValue` if a value does not fit the model or a limit.
    package init(stored record: Record, layout: ModelLayout) throws {
        let arena = ByteArena()
        try layout.encode(record, into: arena, isReceived: true)
        bytes = Array(arena[0..<arena.count])
        key = try bytes.withUnsafeBytes { bytes in try layout.primaryKey(of: RowView(bytes)) }
    }

    private init(key: [UInt8], bytes: [UInt8]) { (self.key, self.bytes) = (key, bytes) }

    /// A row without fields, which has no value in any field of a model.
    package static let withoutValues = EncodedRow(key: [], bytes: [RowView.version, 0, 0, 0])

    /// Calls `body` with the key and a view of the row. Both are valid only inside `body`.
    public func withRow<Result>(_ body: (UnsafeRawBufferPointer, RowView) throws -> Result) throws -> Result {
        try key.withUnsafeBytes { key in try bytes.withUnsafeBytes { bytes in try body(key, RowView(bytes)) } }
    }
}

extension ModelLayout {
    /// Appends the row of `record` to `arena`.
    ///
    /// - Throws: ``DataStoreError`` with code `invalidValue` if a value does not fit the model or a limit.
    func encode(_ record: Record, into arena: ByteArena, isReceived: Bool = false) throws {
        var encoder = RowEncoder(arena: arena, layout: row)
        try record.encode(into: &encoder, layout: self, isReceived: isReceived)
        if let refusal = encoder.finish() { throw refused(refusal) }
    }

    /// Appends the row of `value` to `arena`.
    ///
    /// - Throws: ``DataStoreError`` with code `invalidValue` if a value does not fit a limit.
    @inline(__always)
    package func encode<Value: Model>(_ value: Value, into arena: ByteArena) throws {
        var encoder = RowEncoder(arena: arena, layout: row)
        value.encode(into: &encoder)
        if let refusal = encoder.finish() { throw refused(refusal) }
    }

    /// Appends the rows of `values` to `arena`, one after the other, and the end of each row in the arena to `ends`.
    ///
    /// - Throws: ``DataStoreError`` with code `invalidValue` if a value does not fit a limit.
    package func encode<Value: Model>(_ values: some Sequence<Value>, into arena: ByteArena, ends: inout [Int]) throws {
        try values.forEachBorrowed { value in
            try encode(value, into: arena)
            ends.append(arena.count)
        }
    }

    /// The encoded primary key of `row`.
    ///
    /// - Throws: ``DataStoreError`` with code `invalidValue` if the key is longer than 255 bytes; ``RowDamage``.
    public func primaryKey(of row: RowView) throws -> [UInt8] {
        try withUnsafeTemporaryAllocation(byteCount: Limits.keyByteCount, alignment: 8) { buffer in
            var encoder = KeyEncoder(buffer)
            try encoder.appendPrimaryKey(of: row, layout: self)
            guard !encoder.isOverflowing else { throw refusedKey() }
            return Array(encoder.bytes)
        }
    }

    func refused(_ refusal: RowRefusal) -> DataStoreError {
        var error = refused("\(refusal)")
        error.field = refusal.field
        return error
    }

    func refused(_ reason: String) -> DataStoreError {
        DataStoreError(
            .invalidValue, "A record of \(name) cannot be stored: \(reason).", model: name,
            recovery: "Give values that the schema and the limits allow.")
    }

    func refusedKey() -> DataStoreError { refused(Self.longKey) }

    /// The reason why a key is refused. A text in a key needs two more bytes: the first one is its type, the last one ends it.
    static let longKey =
        "its key would be longer than \(Limits.keyByteCount) bytes; a key of one text has at most "
        + "\(Limits.keyByteCount - 2) bytes of UTF-8"
}

extension Sequence {
    /// Calls `body` with each element without copying it, if the elements are in contiguous memory.
    ///
    /// A copy of an element would count a reference for each of its fields.
    @inline(__always)
    func forEachBorrowed(_ body: (borrowing Element) throws -> Void) rethrows {
        let isDone: Void? = try withContiguousStorageIfAvailable { elements in try elements.forEachBorrowed(body) }
        if isDone != nil { return }
        for element in self { try body(element) }
    }
}

extension UnsafeBufferPointer where Element: ~Copyable {
    /// Calls `body` with each element in place. The elements need not be copyable here, so the compiler makes no copies.
    @inline(__always)
    fileprivate func forEachBorrowed(_ body: (borrowing Element) throws -> Void) rethrows {
        for index in indices { try body(self[index]) }
    }
}

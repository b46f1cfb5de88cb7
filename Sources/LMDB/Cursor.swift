internal import CLMDB
internal import CSystem

/// A position in a keyspace that can move through the entries in key order, in both directions.
///
/// The bytes that a cursor returns are valid as long as the bytes that its transaction returns. After a call has returned
/// `nil`, the position is defined only by ``first()``, ``last()`` and the seeks. A cursor keeps its transaction alive. The
/// cursors of a write transaction end with it. The cursors of a read transaction lose their position when it is reset, and
/// continue after ``renew()``.
public final class Cursor {
    /// A key and its value.
    public struct Entry {
        // Three words, so that an entry is returned in registers. LMDB's keys are shorter than a page, and its values have
        // lengths of 32 bits.
        @usableFromInline let keyStart: UnsafeRawPointer
        @usableFromInline let valueStart: UnsafeRawPointer
        @usableFromInline let valueCount: UInt32
        @usableFromInline let keyCount: UInt32

        /// The key's bytes.
        @inlinable public var key: UnsafeRawBufferPointer { .init(start: keyStart, count: Int(keyCount)) }

        /// The value's bytes.
        @inlinable public var value: UnsafeRawBufferPointer { .init(start: valueStart, count: Int(valueCount)) }

        init?(key: MDB_val, value: MDB_val) {
            guard let keyStart = key.mv_data, let valueStart = value.mv_data,
                let keyCount = UInt32(exactly: key.mv_size), let valueCount = UInt32(exactly: value.mv_size)
            else { return nil }
            (self.keyStart, self.keyCount) = (UnsafeRawPointer(keyStart), keyCount)
            (self.valueStart, self.valueCount) = (UnsafeRawPointer(valueStart), valueCount)
        }

        /// An entry of a leaf, `nil` if it is not inside of its page.
        @inline(__always)
        init?(_ entry: tidelog_entry) {
            guard let keyStart = entry.key, let valueStart = entry.value else { return nil }
            (self.keyStart, keyCount) = (keyStart, entry.key_count)
            (self.valueStart, valueCount) = (valueStart, entry.value_count)
        }
    }

    let keyspace: Keyspace
    let transaction: Transaction
    private let pointer: OpaquePointer
    private var epoch: Int

    init(_ transaction: Transaction, _ keyspace: Keyspace) throws(LMDBError) {
        var opened: OpaquePointer?
        let result = mdb_cursor_open(try transaction.running("open cursor"), keyspace.identifier, &opened)
        guard result == MDB_SUCCESS, let opened else { throw LMDBError(result, "open cursor") }
        self.transaction = transaction
        self.keyspace = keyspace
        pointer = opened
        epoch = transaction.epoch
    }

    deinit {
        // The end of a write transaction has freed its cursors. The cursors of a read transaction must be freed here.
        if epoch == transaction.epoch || transaction.isReadOnly { mdb_cursor_close(pointer) }
    }

    /// Makes the cursor of a renewed read transaction use the new snapshot. The cursor then has no position.
    public func renew() throws(LMDBError) {
        let running = try transaction.running("renew cursor")
        guard transaction.isReadOnly else { throw LMDBError(.badTransaction, "renew cursor") }
        try LMDBError.check(mdb_cursor_renew(running, pointer), "renew cursor")
        epoch = transaction.epoch
    }

    /// Moves to the entry with the lowest key.
    public func first() throws(LMDBError) -> Entry? { try move(MDB_FIRST, "first") }

    /// Moves to the entry with the highest key.
    public func last() throws(LMDBError) -> Entry? { try move(MDB_LAST, "last") }

    /// Moves to the next entry, or to the first if the cursor has no position. After ``deleteCurrent()``, the next entry is the
    /// one after the deleted entry.
    public func next() throws(LMDBError) -> Entry? { try move(MDB_NEXT, "next") }

    /// Moves to the previous entry, or to the last if the cursor has no position. After ``deleteCurrent()``, the previous entry
    /// is the one before the deleted entry.
    public func previous() throws(LMDBError) -> Entry? { try move(MDB_PREV, "previous") }

    /// The current entry, or `nil` if the cursor has no position.
    public func current() throws(LMDBError) -> Entry? {
        let pointer = try positioned("current")
        var key = MDB_val()
        var value = MDB_val()
        let result = mdb_cursor_get(pointer, &key, &value, MDB_GET_CURRENT)
        if result == MDB_SUCCESS { return try Self.entry(key, value, "current") }
        if result == MDB_NOTFOUND || LMDBError.Code(rawValue: result) == .invalidArgument { return nil }
        throw LMDBError(result, "current")
    }

    /// Moves to the entry with exactly this key.
    public func seek(to key: UnsafeRawBufferPointer) throws(LMDBError) -> Entry? {
        try seek(key, MDB_SET_KEY, "seek to")
    }

    /// Moves to the first entry whose key is equal to or sorts after this key.
    public func seek(atLeast key: UnsafeRawBufferPointer) throws(LMDBError) -> Entry? {
        try seek(key, MDB_SET_RANGE, "seek at least")
    }

    /// Moves to the last entry whose key sorts before this key.
    public func seek(before key: UnsafeRawBufferPointer) throws(LMDBError) -> Entry? {
        guard try seek(atLeast: key) != nil else { return try last() }
        return try previous()
    }

    func positioned(_ operation: StaticString) throws(LMDBError) -> OpaquePointer {
        try checkPosition(operation)
        return pointer
    }

    /// Throws if the transaction has ended or was reset since the cursor moved.
    @inline(__always)
    func checkPosition(_ operation: StaticString) throws(LMDBError) {
        guard epoch == transaction.epoch else { throw LMDBError(.badTransaction, operation) }
    }

    @inline(__always)
    private func move(_ move: MDB_cursor_op, _ operation: StaticString) throws(LMDBError) -> Entry? {
        try entry(positioned(operation), MDB_val(), move, operation)
    }

    @inline(__always)
    private func seek(
        _ key: UnsafeRawBufferPointer, _ move: MDB_cursor_op, _ operation: StaticString
    ) throws(LMDBError) -> Entry? {
        let pointer = try positioned(operation)
        try keyspace.checkKey(key, operation)
        return try entry(pointer, MDB_val(key), move, operation)
    }

    @inline(__always)
    private func entry(
        _ pointer: OpaquePointer, _ key: MDB_val, _ move: MDB_cursor_op, _ operation: StaticString
    ) throws(LMDBError) -> Entry? {
        var (key, value) = (key, MDB_val())
        let result = mdb_cursor_get(pointer, &key, &value, move)
        if result == MDB_SUCCESS { return try Self.entry(key, value, operation) }
        if result == MDB_NOTFOUND { return nil }
        throw LMDBError(result, operation)
    }

    @inline(__always)
    private static func entry(_ key: MDB_val, _ value: MDB_val, _ operation: StaticString) throws(LMDBError) -> Entry {
        guard let entry = Entry(key: key, value: value) else { throw LMDBError(.corrupted, operation) }
        return entry
    }
}

/// Changes through a cursor of a write transaction. In a read transaction, they throw `permissionDenied`.
extension Cursor {
    /// Stores a value for a key, replaces the old value if there is one, and moves the cursor to it. If keys are in order, this
    /// is faster than the transaction's own method.
    /// - Throws: the same errors as ``WriteTransaction/put(_:_:_:)``.
    public func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(LMDBError) {
        let pointer = try positioned("cursor put")
        try keyspace.checkKey(key, "cursor put")
        var key = MDB_val(key)
        var value = MDB_val(value)
        try transaction.checkRoom(mdb_cursor_put(pointer, &key, &value, 0), "cursor put")
    }

    /// Reserves space for a value of `byteCount` bytes for a key, and moves the cursor to it. The caller must fill all of the
    /// space before the transaction's next call.
    /// - Throws: the same errors as ``WriteTransaction/reserve(_:_:byteCount:append:)``.
    public func reserve(
        _ key: UnsafeRawBufferPointer, byteCount: Int, append: Bool = false
    ) throws(LMDBError) -> UnsafeMutableRawBufferPointer {
        precondition(byteCount >= 0, "A value's length is not negative.")
        let pointer = try positioned("cursor reserve")
        try keyspace.checkKey(key, "cursor reserve")
        var key = MDB_val(key)
        var value = MDB_val(mv_size: byteCount, mv_data: nil)
        let flags = append ? UInt32(MDB_RESERVE | MDB_APPEND) : UInt32(MDB_RESERVE)
        try transaction.checkRoom(mdb_cursor_put(pointer, &key, &value, flags), "cursor reserve")
        return UnsafeMutableRawBufferPointer(start: value.mv_data, count: byteCount)
    }

    /// Deletes the current entry.
    /// - Throws: `notFound` if the cursor has no position, or an I/O error.
    public func deleteCurrent() throws(LMDBError) {
        let pointer = try positioned("delete current")
        guard try current() != nil else { throw LMDBError(.notFound, "delete current") }
        try transaction.checkRoom(mdb_cursor_del(pointer, 0), "delete current")
    }
}

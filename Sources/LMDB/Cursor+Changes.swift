internal import CLMDB

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
        try LMDBError.check(mdb_cursor_put(pointer, &key, &value, 0), "cursor put")
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
        try LMDBError.check(mdb_cursor_put(pointer, &key, &value, flags), "cursor reserve")
        return UnsafeMutableRawBufferPointer(start: value.mv_data, count: byteCount)
    }

    /// Deletes the current entry.
    /// - Throws: `notFound` if the cursor has no position, or an I/O error.
    public func deleteCurrent() throws(LMDBError) {
        let pointer = try positioned("delete current")
        guard try current() != nil else { throw LMDBError(.notFound, "delete current") }
        try LMDBError.check(mdb_cursor_del(pointer, 0), "delete current")
    }
}

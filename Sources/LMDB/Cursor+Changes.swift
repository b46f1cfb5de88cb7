internal import CLMDB

/// Changes through a cursor of a write transaction; in a read transaction they throw `permissionDenied`.
extension Cursor {
    /// Stores a value under a key, in place of the old one if there is one, and moves there. Quicker than the
    /// transaction's own where keys come in order.
    /// - Throws: as ``WriteTransaction/put(_:_:_:)``.
    public func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(LMDBError) {
        let pointer = try positioned("cursor put")
        try keyspace.checkKey(key, "cursor put")
        var key = MDB_val(key)
        var value = MDB_val(value)
        try LMDBError.check(mdb_cursor_put(pointer, &key, &value, 0), "cursor put")
    }

    /// Room for a value of `byteCount` bytes under a key, to be filled whole before the transaction's next call; moves
    /// there.
    /// - Throws: as ``WriteTransaction/reserve(_:_:byteCount:append:)``.
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

    /// Stores another value under the key the cursor is at.
    /// - Throws: `notFound` from nowhere; else as ``WriteTransaction/put(_:_:_:)``.
    public func replaceCurrent(_ value: UnsafeRawBufferPointer) throws(LMDBError) {
        let pointer = try positioned("replace current")
        guard let key = try current()?.key else { throw LMDBError(.notFound, "replace current") }
        // LMDB moves the page's contents before it copies the key, which must therefore not be in the page.
        let result = withUnsafeTemporaryAllocation(byteCount: key.count, alignment: 8) { copy in
            copy.copyMemory(from: key)
            var key = MDB_val(UnsafeRawBufferPointer(copy))
            var value = MDB_val(value)
            return mdb_cursor_put(pointer, &key, &value, UInt32(MDB_CURRENT))
        }
        try LMDBError.check(result, "replace current")
    }

    /// Deletes the entry the cursor is at.
    /// - Throws: `notFound` from nowhere, or an I/O error.
    public func deleteCurrent() throws(LMDBError) {
        let pointer = try positioned("delete current")
        guard try current() != nil else { throw LMDBError(.notFound, "delete current") }
        try LMDBError.check(mdb_cursor_del(pointer, 0), "delete current")
    }
}

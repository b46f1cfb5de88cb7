internal import CLMDB
internal import Synchronization

extension WriteTransaction {
    /// Stores a value for a key, and replaces the old value if there is one.
    /// - Throws: `mapFull`, `transactionFull`, `badValueSize` for a key that is empty or too long, or an I/O error.
    public func put(
        _ keyspace: Keyspace, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
    ) throws(LMDBError) {
        try LMDBError.check(try store(keyspace, key, value, 0, "put"), "put")
    }

    /// Stores a value for a key that sorts after all other keys. This is faster than ``put(_:_:_:)`` and fills pages
    /// completely.
    /// - Throws: `keyExists` if the key does not sort after the last key, and the errors of ``put(_:_:_:)``.
    public func append(
        _ keyspace: Keyspace, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
    ) throws(LMDBError) {
        try LMDBError.check(try store(keyspace, key, value, UInt32(MDB_APPEND), "append"), "append")
    }

    /// Reserves space for a value of `byteCount` bytes for a key. The caller must fill all of the space before the
    /// transaction's next call. Until then, its content is undefined.
    /// - Parameter append: Whether the key sorts after all other keys, as for ``append(_:_:_:)``.
    /// - Throws: the same errors as ``put(_:_:_:)`` or ``append(_:_:_:)``.
    public func reserve(
        _ keyspace: Keyspace, _ key: UnsafeRawBufferPointer, byteCount: Int, append: Bool = false
    ) throws(LMDBError) -> UnsafeMutableRawBufferPointer {
        precondition(byteCount >= 0, "A value's length is not negative.")
        let pointer = try running("reserve")
        try keyspace.checkKey(key, "reserve")
        var key = MDB_val(key)
        var value = MDB_val(mv_size: byteCount, mv_data: nil)
        let flags = append ? UInt32(MDB_RESERVE | MDB_APPEND) : UInt32(MDB_RESERVE)
        try LMDBError.check(mdb_put(pointer, keyspace.identifier, &key, &value, flags), "reserve")
        return UnsafeMutableRawBufferPointer(start: value.mv_data, count: byteCount)
    }

    /// Deletes a key and its value. Returns whether there was one.
    @discardableResult
    public func delete(_ keyspace: Keyspace, _ key: UnsafeRawBufferPointer) throws(LMDBError) -> Bool {
        let pointer = try running("delete")
        try keyspace.checkKey(key, "delete")
        var key = MDB_val(key)
        let result = mdb_del(pointer, keyspace.identifier, &key, nil)
        if result == MDB_NOTFOUND { return false }
        try LMDBError.check(result, "delete")
        return true
    }

    /// Deletes all entries of a keyspace.
    public func empty(_ keyspace: Keyspace) throws(LMDBError) {
        try LMDBError.check(mdb_drop(try running("empty"), keyspace.identifier, 0), "empty")
    }

    /// Deletes a keyspace with all its entries. Do not use its handle again, even if the transaction aborts: in that case, open
    /// the keyspace again by its name.
    /// - Throws: `busy` while any other transaction of this process is running, because it may be using the handle.
    public func drop(_ keyspace: Keyspace) throws(LMDBError) {
        let pointer = try running("drop")
        let handle = try openHandle("drop")
        try handle.withExclusiveAccess(besides: 1, "drop") { () throws(LMDBError) in
            try LMDBError.check(mdb_drop(pointer, keyspace.identifier, 1), "drop")
            opened = opened.filter { $0.value != keyspace }
            handle.keyspaces.withLock { $0.forget(keyspace) }
        }
    }

    private func store(
        _ keyspace: Keyspace, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ flags: UInt32,
        _ operation: StaticString
    ) throws(LMDBError) -> Int32 {
        let pointer = try running(operation)
        try keyspace.checkKey(key, operation)
        var key = MDB_val(key)
        var value = MDB_val(value)
        return mdb_put(pointer, keyspace.identifier, &key, &value, flags)
    }
}

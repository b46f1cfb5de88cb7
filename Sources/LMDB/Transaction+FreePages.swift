internal import CLMDB

extension ReadTransaction {
    /// The number of pages of the data file that the next write transaction can use before the file grows. These pages were
    /// freed before the last commit and before the oldest snapshot that is being read.
    ///
    /// - Parameter oldestReader: The oldest snapshot that any process reads, from ``Environment/Information``, or `nil` if
    ///   there is none.
    public func freePageCount(besideReaderOf oldestReader: UInt64?) throws(LMDBError) -> Int {
        let operation: StaticString = "count free pages"
        let pointer = try running(operation)
        var cursor: OpaquePointer?
        // The first keyspace of every environment has the lists of free pages, by the transaction that freed them.
        try LMDBError.check(mdb_cursor_open(pointer, 0, &cursor), operation)
        defer { mdb_cursor_close(cursor) }
        let end = min(try id, oldestReader ?? .max)
        var count = 0
        var key = MDB_val()
        var value = MDB_val()
        var result = mdb_cursor_get(cursor, &key, &value, MDB_FIRST)
        while result == MDB_SUCCESS {
            guard key.mv_size == MemoryLayout<Int>.size, value.mv_size >= MemoryLayout<Int>.size,
                let transaction = key.mv_data?.loadUnaligned(as: UInt.self),
                let listed = value.mv_data?.loadUnaligned(as: Int.self),
                listed >= 0, listed <= value.mv_size / MemoryLayout<Int>.size
            else { throw LMDBError(.corrupted, operation) }
            if UInt64(transaction) < end { count += listed }
            result = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
        }
        guard result == MDB_NOTFOUND else { throw LMDBError(result, operation) }
        return count
    }
}

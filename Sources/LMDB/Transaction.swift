internal import CLMDB
internal import Synchronization

/// What read and write transactions have in common: looking at one snapshot.
///
/// Every pointer a transaction hands out points into the map or into one of its pages, is never to be written to, and
/// is valid until the transaction ends or is reset, or, in a write transaction, until its next write. Bytes that a
/// write transaction handed out must not be passed to its own writes: copy them first.
public class Transaction {
    /// `nil` once ended, so that an ended transaction that is still referenced keeps nothing open.
    final var handle: EnvironmentHandle?
    let isReadOnly: Bool
    /// `nil` once ended, and while reset.
    final var pointer: OpaquePointer?
    /// Raised whenever cursors lose their footing: at the end, and by every renewal.
    final var epoch = 0
    final var keyspaceGeneration: Int
    final var opened: [String: Keyspace] = [:]

    init(_ handle: EnvironmentHandle, isReadOnly: Bool, _ operation: StaticString) throws(LMDBError) {
        self.handle = handle
        self.isReadOnly = isReadOnly
        // Before the snapshot is taken, so that it is never too young for it.
        keyspaceGeneration = handle.keyspaceGeneration.load(ordering: .acquiring)
        pointer = try Self.begin(handle, isReadOnly: isReadOnly, operation)
    }

    static func begin(
        _ handle: EnvironmentHandle, isReadOnly: Bool, _ operation: StaticString
    ) throws(LMDBError) -> OpaquePointer {
        try handle.enter(operation)
        var pointer: OpaquePointer?
        let flags = isReadOnly ? UInt32(MDB_RDONLY) : 0
        let result = mdb_txn_begin(handle.pointer, nil, flags, &pointer)
        guard result == MDB_SUCCESS, let pointer else {
            handle.leave()
            throw LMDBError(result, operation)
        }
        return pointer
    }

    final func openHandle(_ operation: StaticString) throws(LMDBError) -> EnvironmentHandle {
        guard let handle else { throw LMDBError(.badTransaction, operation) }
        return handle
    }

    @inline(__always)
    final func running(_ operation: StaticString) throws(LMDBError) -> OpaquePointer {
        guard let pointer else { throw LMDBError(.badTransaction, operation) }
        return pointer
    }

    /// Which snapshot this is: the transaction that wrote it, or, in a write transaction, its own number.
    /// - Throws: `badTransaction` once it ended.
    public final var id: UInt64 {
        get throws(LMDBError) { UInt64(mdb_txn_id(try running("read the transaction's number"))) }
    }

    /// The value of a key, or `nil` if there is none.
    public final func get(
        _ keyspace: Keyspace, _ key: UnsafeRawBufferPointer
    ) throws(LMDBError) -> UnsafeRawBufferPointer? {
        let pointer = try running("get")
        try keyspace.checkKey(key, "get")
        var key = MDB_val(key)
        var value = MDB_val()
        let result = mdb_get(pointer, keyspace.identifier, &key, &value)
        if result == MDB_SUCCESS { return UnsafeRawBufferPointer(value) }
        if result == MDB_NOTFOUND { return nil }
        throw LMDBError(result, "get")
    }

    /// A cursor over a keyspace, positioned nowhere.
    public final func cursor(_ keyspace: Keyspace) throws(LMDBError) -> Cursor {
        try Cursor(self, keyspace)
    }

    /// How many entries a keyspace has; does not count them.
    public final func entryCount(_ keyspace: Keyspace) throws(LMDBError) -> Int {
        try statistics(keyspace).entryCount
    }

    /// Size and shape of a keyspace's tree.
    public final func statistics(_ keyspace: Keyspace) throws(LMDBError) -> Statistics {
        var statistics = MDB_stat()
        let pointer = try running("read the statistics")
        try LMDBError.check(mdb_stat(pointer, keyspace.identifier, &statistics), "read the statistics")
        return Statistics(statistics)
    }
}

/// Size and shape of a keyspace's tree.
public struct Statistics: Sendable, Hashable {
    /// Bytes of a page.
    public let pageSize: Int

    /// Levels of the tree, 0 if it is empty.
    public let depth: Int

    /// Pages that lead to others.
    public let branchPageCount: Int

    /// Pages that hold entries.
    public let leafPageCount: Int

    /// Pages of values too large for a leaf.
    public let overflowPageCount: Int

    /// Entries.
    public let entryCount: Int

    init(_ statistics: MDB_stat) {
        pageSize = Int(statistics.ms_psize)
        depth = Int(statistics.ms_depth)
        branchPageCount = statistics.ms_branch_pages
        leafPageCount = statistics.ms_leaf_pages
        overflowPageCount = statistics.ms_overflow_pages
        entryCount = statistics.ms_entries
    }
}

internal import CLMDB
internal import CSystem
internal import TidelogSynchronization

/// The common part of read and write transactions: reading one snapshot.
///
/// Every pointer that a transaction returns points into the map or into one of its pages and must never be written to. It is
/// valid until the transaction ends or is reset or, in a write transaction, until its next write. Do not pass bytes that a
/// write transaction returned to its own writes: copy them first.
public class Transaction {
    /// The environment, or `nil` after the end, so that an ended transaction that is still referenced keeps nothing open.
    final var handle: EnvironmentHandle?
    let isReadOnly: Bool
    /// The transaction of LMDB, or `nil` after the end and while the transaction is reset.
    final var pointer: OpaquePointer?
    /// A number that is increased when cursors become invalid: at the end, and by every renewal.
    final var epoch = 0
    final var keyspaceGeneration: Int
    final var opened: [String: Keyspace] = [:]
    /// Whether ``opened`` has keyspaces. The end of each read asks for this, and a flag is read faster than a dictionary.
    final var hasOpened = false

    init(_ handle: EnvironmentHandle, isReadOnly: Bool, _ operation: StaticString) throws(LMDBError) {
        self.handle = handle
        self.isReadOnly = isReadOnly
        // This is read before the snapshot is taken, so that it is never newer than the snapshot.
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

    /// Throws an error if `result` is not a success. If the map is full, the environment learns of it.
    @inline(__always)
    final func checkRoom(_ result: Int32, _ operation: StaticString) throws(LMDBError) {
        guard result != MDB_SUCCESS else { return }
        if result == MDB_MAP_FULL { handle?.hasFullMap.store(true, ordering: .relaxed) }
        throw LMDBError(result, operation)
    }

    /// The number of the snapshot: the transaction that wrote it or, in a write transaction, its own number.
    /// - Throws: `badTransaction` after the transaction has ended.
    public final var id: UInt64 {
        get throws(LMDBError) { UInt64(mdb_txn_id(try running("read the transaction's number"))) }
    }

    /// The value for a key, or `nil` if there is none.
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

    /// A cursor in a keyspace. It has no position yet.
    public final func cursor(_ keyspace: Keyspace) throws(LMDBError) -> Cursor {
        try Cursor(self, keyspace)
    }

    /// The number of entries of a keyspace, without counting them.
    public final func entryCount(_ keyspace: Keyspace) throws(LMDBError) -> Int {
        try statistics(keyspace).entryCount
    }

    /// The size and shape of a keyspace's tree.
    public final func statistics(_ keyspace: Keyspace) throws(LMDBError) -> Statistics {
        var statistics = MDB_stat()
        let pointer = try running("read the statistics")
        try LMDBError.check(mdb_stat(pointer, keyspace.identifier, &statistics), "read the statistics")
        return Statistics(statistics)
    }
}

/// The size and shape of a keyspace's tree.
public struct Statistics: Sendable, Hashable {
    /// The number of bytes of a page.
    public let pageSize: Int

    /// The number of levels of the tree, or 0 if it is empty.
    public let depth: Int

    /// The number of pages that refer to other pages.
    public let branchPageCount: Int

    /// The number of pages with entries.
    public let leafPageCount: Int

    /// The number of pages of values that are too large for a leaf.
    public let overflowPageCount: Int

    /// The number of entries.
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

extension Transaction {
    /// The keyspace with this name, or `nil` if there is none and `create` is false.
    final func findKeyspace(
        named name: String, integerKeys: Bool, create: Bool, _ operation: StaticString
    ) throws(LMDBError) -> Keyspace? {
        let pointer = try running(operation)
        let handle = try openHandle(operation)
        // LMDB ends a name at a NUL, so two different names would be the same.
        guard (1...Int(mdb_env_get_maxkeysize(handle.pointer))).contains(name.utf8.count), !name.utf8.contains(0) else {
            throw LMDBError(.badValueSize, operation, "a keyspace's name has 1 to 511 bytes and no NUL")
        }
        if let keyspace = opened[name] { return try checked(keyspace, integerKeys, operation) }
        let answer = handle.keyspaces.withLock {
            $0.ask(for: name, by: ObjectIdentifier(self), begunAt: keyspaceGeneration)
        }
        switch answer {
        case .open(let keyspace):
            var stored: UInt32 = 0
            guard mdb_dbi_flags(pointer, keyspace.identifier, &stored) == MDB_SUCCESS else {
                throw LMDBError(.busy, operation, "opened since this transaction began: begin again")
            }
            return try checked(keyspace, integerKeys, operation)
        case .busy:
            throw LMDBError(.busy, operation, "end the other transaction that opened keyspaces, or begin again")
        case .mayOpen:
            return try openKeyspace(
                pointer, of: handle, named: name, integerKeys: integerKeys, create: create, operation)
        }
    }

    private func openKeyspace(
        _ pointer: OpaquePointer, of handle: EnvironmentHandle, named name: String, integerKeys: Bool, create: Bool,
        _ operation: StaticString
    ) throws(LMDBError) -> Keyspace? {
        var flags: UInt32 = 0
        if create { flags |= UInt32(MDB_CREATE) }
        if integerKeys { flags |= UInt32(MDB_INTEGERKEY) }
        var identifier: MDB_dbi = 0
        var stored: UInt32 = 0
        var result = mdb_dbi_open(pointer, name, flags, &identifier)
        if result == MDB_SUCCESS { result = mdb_dbi_flags(pointer, identifier, &stored) }
        guard result == MDB_SUCCESS else {
            if !hasOpened { finishKeyspaces(of: handle, published: false) }
            if result == MDB_NOTFOUND { return nil }
            throw LMDBError(result, operation)
        }
        let keyspace = Keyspace(identifier: identifier, usesIntegerKeys: stored & UInt32(MDB_INTEGERKEY) != 0)
        opened[name] = keyspace
        hasOpened = true
        guard stored & ~UInt32(MDB_INTEGERKEY) == 0 else {
            throw LMDBError(.incompatible, operation, "the keyspace has flags unknown here")
        }
        return try checked(keyspace, integerKeys, operation)
    }

    private func checked(
        _ keyspace: Keyspace, _ integerKeys: Bool, _ operation: StaticString
    ) throws(LMDBError) -> Keyspace {
        guard keyspace.usesIntegerKeys == integerKeys else {
            throw LMDBError(.incompatible, operation, "integer keys in one, bytes in the other")
        }
        return keyspace
    }

    /// Publishes the keyspaces that this transaction opened, or discards them. After this, another transaction can open
    /// keyspaces.
    final func finishKeyspaces(of handle: EnvironmentHandle, published: Bool) {
        let kept = published ? opened : [:]
        opened = [:]
        hasOpened = false
        handle.keyspaces.withLock { table in
            table.finish(ObjectIdentifier(self), opened: kept)
            handle.keyspaceGeneration.store(table.generation, ordering: .releasing)
        }
    }
}

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

extension UnsafeRawBufferPointer {
    /// Asks the processor to read the first bytes of a value that is read soon, at most 512.
    public func prefetch() { tidelog_prefetch(baseAddress, Swift.min(count, 512)) }
}

internal import CLMDB
internal import TidelogPlatform
internal import TidelogSynchronization

/// A write transaction. Either all of its changes become visible and durable together, or none.
///
/// Begin, use and end it on the same thread. After `mapFull`, `transactionFull`, `noSpace` or an I/O error, it can only be
/// aborted. The environment stays usable.
public final class WriteTransaction: Transaction {
    init(_ handle: EnvironmentHandle) throws(LMDBError) {
        try handle.checkProcess("begin writing")
        // LMDB's mutex is not recursive, so the same thread would wait for itself forever.
        guard handle.writerThread.load(ordering: .relaxed) != Platform.currentThread else {
            throw LMDBError(.busy, "begin writing", "a write transaction is open in this thread")
        }
        try super.init(handle, isReadOnly: false, "begin writing")
        try beginAnewIfKeyspacesChanged(handle)
        handle.writerThread.store(Platform.currentThread, ordering: .relaxed)
    }

    deinit { abort() }

    /// Begins again if another transaction opened keyspaces while this one waited. Otherwise, it would be too old to open
    /// keyspaces.
    private func beginAnewIfKeyspacesChanged(_ handle: EnvironmentHandle) throws(LMDBError) {
        while true {
            let generation = handle.keyspaceGeneration.load(ordering: .acquiring)
            guard generation != keyspaceGeneration, let running = pointer else { return }
            keyspaceGeneration = generation
            pointer = nil
            mdb_txn_abort(running)
            handle.leave()
            pointer = try Self.begin(handle, isReadOnly: false, "begin writing")
        }
    }

    /// The keyspace with this name. It is created if it does not exist and `create` is true.
    /// - Throws: `notFound`; `incompatible` if the keyspace has the other kind of keys; `busy` while a read transaction that
    ///   opened keyspaces is running; `badValueSize` if the name is empty, longer than 511 bytes, or contains a NUL;
    ///   `keyspacesFull`.
    public func openKeyspace(
        named name: String, integerKeys: Bool = false, create: Bool
    ) throws(LMDBError) -> Keyspace {
        let keyspace = try findKeyspace(named: name, integerKeys: integerKeys, create: create, "open keyspace")
        guard let keyspace else { throw LMDBError(.notFound, "open keyspace") }
        return keyspace
    }

    /// Makes all changes visible, and as durable as the environment's ``SyncPolicy`` demands. The transaction ends, also if
    /// this fails.
    /// - Throws: If ``LMDBError/isFatal`` is true, it is unknown whether the changes exist after the environment was opened
    ///   again. After any other error, the changes are lost. `noSpace` is also thrown if a write was cut short.
    public func commit() throws(LMDBError) {
        let running = try running("commit")
        let handle = try openHandle("commit")
        try handle.checkProcess("commit")
        stop(handle)
        errno = 0
        let result = mdb_txn_commit(running)
        let number = errno
        finishKeyspaces(of: handle, published: result == MDB_SUCCESS)
        defer { handle.leave() }
        guard result == MDB_SUCCESS else {
            if result == MDB_MAP_FULL { handle.hasFullMap.store(true, ordering: .relaxed) }
            throw commitFailure(result, systemError: number, handle)
        }
        try synchronizeMetaPage(handle)
    }

    /// Writes the meta page of a commit to the device if LMDB's own write of it ended in the cache of the device.
    private func synchronizeMetaPage(_ handle: EnvironmentHandle) throws(LMDBError) {
        guard !Platform.synchronousWritesAreDurable else { return }
        var flags: UInt32 = 0
        mdb_env_get_flags(handle.pointer, &flags)
        guard flags & UInt32(MDB_NOSYNC | MDB_NOMETASYNC) == 0 else { return }
        guard mdb_env_sync(handle.pointer, 1) == MDB_SUCCESS else {
            throw LMDBError(.panic, "commit", "the meta page could not be synced")
        }
    }

    /// Undoes all changes and ends the transaction. Further calls do nothing. A transaction that is released without a commit
    /// also aborts.
    public func abort() {
        guard let running = pointer, let handle else { return }
        guard handle.isOurs else {
            pointer = nil
            self.handle = nil
            return
        }
        stop(handle)
        mdb_txn_abort(running)
        finishKeyspaces(of: handle, published: false)
        handle.leave()
    }

    private func stop(_ handle: EnvironmentHandle) {
        precondition(
            handle.writerThread.load(ordering: .relaxed) == Platform.currentThread,
            "A write transaction ends on the thread that began it.")
        pointer = nil
        self.handle = nil
        epoch &+= 1
        // This comes before LMDB unlocks its mutex. After that, another thread may be the writer.
        handle.writerThread.store(0, ordering: .relaxed)
    }

    /// Finds the reason of a failed commit, because LMDB returns `EIO` for several reasons. If a meta page could not be
    /// written, the error is fatal, and LMDB refuses everything from now on. If a write was cut short, the device is full.
    private func commitFailure(_ result: Int32, systemError: Int32, _ handle: EnvironmentHandle) -> LMDBError {
        var probe: OpaquePointer?
        let state = mdb_txn_begin(handle.pointer, nil, UInt32(MDB_RDONLY), &probe)
        if let probe, state == MDB_SUCCESS { mdb_txn_abort(probe) }
        if state == MDB_PANIC { return LMDBError(.panic, "commit", "the meta page could not be written") }
        if result == EIO && systemError == 0 { return LMDBError(.noSpace, "commit", "a write was cut short") }
        return LMDBError(result, "commit")
    }
}

extension WriteTransaction {
    /// Stores a value for a key, and replaces the old value if there is one.
    /// - Throws: `mapFull`, `transactionFull`, `badValueSize` for a key that is empty or too long, or an I/O error.
    public func put(
        _ keyspace: Keyspace, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
    ) throws(LMDBError) {
        try checkRoom(try store(keyspace, key, value, 0, "put"), "put")
    }

    /// Stores a value for a key that sorts after all other keys. This is faster than ``put(_:_:_:)`` and fills pages
    /// completely.
    /// - Throws: `keyExists` if the key does not sort after the last key, and the errors of ``put(_:_:_:)``.
    public func append(
        _ keyspace: Keyspace, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
    ) throws(LMDBError) {
        try checkRoom(try store(keyspace, key, value, UInt32(MDB_APPEND), "append"), "append")
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
        try checkRoom(mdb_put(pointer, keyspace.identifier, &key, &value, flags), "reserve")
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
        try checkRoom(result, "delete")
        return true
    }

    /// Deletes all entries of a keyspace.
    public func empty(_ keyspace: Keyspace) throws(LMDBError) {
        try checkRoom(mdb_drop(try running("empty"), keyspace.identifier, 0), "empty")
    }

    /// Deletes a keyspace with all its entries. Do not use its handle again, even if the transaction aborts: in that case, open
    /// the keyspace again by its name.
    /// - Throws: `busy` while any other transaction of this process is running, because it may be using the handle.
    public func drop(_ keyspace: Keyspace) throws(LMDBError) {
        let pointer = try running("drop")
        let handle = try openHandle("drop")
        try handle.withExclusiveAccess(besides: 1, "drop") { () throws(LMDBError) in
            try checkRoom(mdb_drop(pointer, keyspace.identifier, 1), "drop")
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

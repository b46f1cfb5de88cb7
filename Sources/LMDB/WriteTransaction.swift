internal import CLMDB
internal import Synchronization

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The write transaction: all of its changes become visible and durable together, or none does.
///
/// Begin, use and end it on one thread. After `mapFull`, `transactionFull`, `noSpace` or an I/O error it can only be
/// aborted; the environment stays usable.
public final class WriteTransaction: Transaction {
    init(_ handle: EnvironmentHandle) throws(LMDBError) {
        try handle.checkProcess("begin writing")
        // LMDB's mutex is not recursive: the same thread would wait for itself for ever.
        guard handle.writerThread.load(ordering: .relaxed) != Self.currentThread else {
            throw LMDBError(.busy, "begin writing", "this thread has a write transaction")
        }
        try super.init(handle, isReadOnly: false, "begin writing")
        try beginAnewIfKeyspacesChanged(handle)
        handle.writerThread.store(Self.currentThread, ordering: .relaxed)
    }

    deinit { abort() }

    private static var currentThread: UInt {
        #if canImport(Glibc)
            UInt(pthread_self())
        #else
            UInt(bitPattern: pthread_self())
        #endif
    }

    /// A transaction that waited for another to open keyspaces would be too old to open any itself.
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

    /// The keyspace of that name, made if there is none and `create` says so.
    /// - Throws: `notFound`; `incompatible` if its keys are of the other kind; `busy` while a read transaction that
    ///   opened keyspaces runs; `badValueSize` for a name that is empty, longer than 511 bytes, or holds a NUL;
    ///   `keyspacesFull`.
    public func openKeyspace(
        named name: String, integerKeys: Bool = false, create: Bool
    ) throws(LMDBError) -> Keyspace {
        let keyspace = try findKeyspace(named: name, integerKeys: integerKeys, create: create, "open keyspace")
        guard let keyspace else { throw LMDBError(.notFound, "open keyspace") }
        return keyspace
    }

    /// Makes every change durable, as far as the environment's ``SyncPolicy`` goes, and visible, and ends the
    /// transaction, whether it succeeds or not.
    /// - Throws: where ``LMDBError/isFatal`` says so, it is unknown whether the changes will be there after reopening;
    ///   after any other error they are gone. `noSpace` is reported for short writes too.
    public func commit() throws(LMDBError) {
        let running = try running("commit")
        let handle = try openHandle("commit")
        try handle.checkProcess("commit")
        stop(handle)
        errno = 0
        let result = mdb_txn_commit(running)
        let number = errno
        finishKeyspaces(of: handle, published: result == MDB_SUCCESS)
        handle.leave()
        guard result == MDB_SUCCESS else { throw commitFailure(result, systemError: number, handle) }
    }

    /// Undoes every change and ends the transaction; further calls do nothing. Released without a commit, a
    /// transaction aborts by itself.
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
            handle.writerThread.load(ordering: .relaxed) == Self.currentThread,
            "A write transaction ends on the thread that began it.")
        pointer = nil
        self.handle = nil
        epoch &+= 1
        // Before LMDB unlocks its mutex: from then on another thread may be the writer.
        handle.writerThread.store(0, ordering: .relaxed)
    }

    /// Tells a failed meta page (fatal, LMDB refuses everything from now on) and a short write (the device is full)
    /// from other failures; LMDB answers `EIO` for all of them.
    private func commitFailure(_ result: Int32, systemError: Int32, _ handle: EnvironmentHandle) -> LMDBError {
        var probe: OpaquePointer?
        let state = mdb_txn_begin(handle.pointer, nil, UInt32(MDB_RDONLY), &probe)
        if let probe, state == MDB_SUCCESS { mdb_txn_abort(probe) }
        if state == MDB_PANIC { return LMDBError(.panic, "commit", "the meta page could not be written") }
        if result == EIO && systemError == 0 { return LMDBError(.noSpace, "commit", "a write was cut short") }
        return LMDBError(result, "commit")
    }
}

internal import CLMDB
internal import TidelogSynchronization

/// A read transaction: a consistent view of the last commit before it began. Readers never wait. While a read transaction is
/// running, pages that were freed after its snapshot cannot be reused, so keep it short, or use ``reset()`` and ``renew()``.
///
/// Sound as `@unchecked Sendable`, because LMDB does not bind it to a thread. Still, only one thread may use it at a time.
public final class ReadTransaction: Transaction, @unchecked Sendable {
    /// The same transaction while it is reset. It keeps its slot in the reader table.
    private var parked: OpaquePointer?
    /// The next transaction in the pool that this one is in.
    var nextIdle: ReadTransaction?

    init(_ handle: EnvironmentHandle) throws(LMDBError) {
        try super.init(handle, isReadOnly: true, "begin reading")
    }

    deinit { end() }

    /// The keyspace with this name, or `nil` if the snapshot has none.
    /// - Throws: `incompatible` if the keyspace has the other kind of keys; `busy` if another running transaction opened
    ///   keyspaces, or if one did so after this transaction began; `badValueSize` if the name is empty, longer than 511 bytes,
    ///   or contains a NUL; `keyspacesFull`.
    public func openKeyspace(named name: String, integerKeys: Bool = false) throws(LMDBError) -> Keyspace? {
        try findKeyspace(named: name, integerKeys: integerKeys, create: false, "open keyspace")
    }

    /// Releases the snapshot, but keeps the data for a later ``renew()``. Pointers and cursors become invalid.
    public func reset() {
        guard let handle, let running = stop(), handle.isOurs else { return }
        if !hasOpened {
            mdb_txn_reset(running)
            parked = running
        } else {
            // A reset would close the keyspaces that this transaction opened. An end keeps them open.
            mdb_txn_commit(running)
            finishKeyspaces(of: handle, published: true)
        }
        handle.leave()
    }

    /// Makes the transaction show the last commit. Resets it first if necessary. Cursors must be renewed as well.
    /// - Throws: `badTransaction` after the transaction has ended, and the errors of ``Environment/beginRead()``.
    public func renew() throws(LMDBError) {
        let handle = try openHandle("renew")
        reset()
        keyspaceGeneration = handle.keyspaceGeneration.load(ordering: .acquiring)
        guard let parked else {
            pointer = try Transaction.begin(handle, isReadOnly: true, "renew")
            return
        }
        try handle.enter("renew")
        let result = mdb_txn_renew(parked)
        guard result == MDB_SUCCESS else {
            handle.leave()
            throw LMDBError(result, "renew")
        }
        pointer = parked
        self.parked = nil
    }

    /// Ends the transaction. Further calls do nothing. A transaction also ends when it is released.
    public func end() {
        guard let handle else { return }
        self.handle = nil
        let running = stop()
        // In a forked child, the slots belong to the parent.
        guard handle.isOurs else { return }
        if let running {
            mdb_txn_commit(running)
            if hasOpened { finishKeyspaces(of: handle, published: true) }
            handle.leave()
        } else if let parked {
            self.parked = nil
            mdb_txn_abort(parked)
        }
    }

    private func stop() -> OpaquePointer? {
        guard let running = pointer else { return nil }
        pointer = nil
        epoch &+= 1
        return running
    }
}

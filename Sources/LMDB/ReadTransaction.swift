internal import CLMDB
internal import Synchronization

/// A consistent view of the last commit before it began. Readers wait for nobody, but while one runs, no page freed
/// since is reused: keep them short, or ``reset()`` and ``renew()`` them.
///
/// Sound as `@unchecked Sendable`: LMDB does not tie it to a thread. It must still be used by one at a time.
public final class ReadTransaction: Transaction, @unchecked Sendable {
    /// The same transaction while it is reset: its slot in the reader table is kept.
    private var parked: OpaquePointer?

    init(_ handle: EnvironmentHandle) throws(LMDBError) {
        try super.init(handle, isReadOnly: true, "begin reading")
    }

    deinit { end() }

    /// The keyspace of that name, or `nil` if the snapshot has none.
    /// - Throws: `incompatible` if its keys are of the other kind; `busy` if another running transaction opened
    ///   keyspaces, or one did so since this one began; `badValueSize` for a name that is empty, longer than 511
    ///   bytes, or holds a NUL; `keyspacesFull`.
    public func openKeyspace(named name: String, integerKeys: Bool = false) throws(LMDBError) -> Keyspace? {
        try findKeyspace(named: name, integerKeys: integerKeys, create: false, "open keyspace")
    }

    /// Lets go of the snapshot, keeping what a later ``renew()`` needs. Pointers and cursors lose their meaning.
    public func reset() {
        guard let handle, let running = stop(), handle.isOurs else { return }
        if opened.isEmpty {
            mdb_txn_reset(running)
            parked = running
        } else {
            // A reset would close the keyspaces this transaction opened; an end keeps them.
            mdb_txn_commit(running)
            finishKeyspaces(of: handle, published: true)
        }
        handle.leave()
    }

    /// Looks at the last commit from now on; resets first if need be. Cursors must be renewed too.
    /// - Throws: `badTransaction` once it ended; else as ``Environment/beginRead()``.
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

    /// Ends the transaction for good; further calls do nothing. Released without, a transaction ends by itself.
    public func end() {
        guard let handle else { return }
        self.handle = nil
        let running = stop()
        // In a forked child the slots are the parent's.
        guard handle.isOurs else { return }
        if let running {
            mdb_txn_commit(running)
            if !opened.isEmpty { finishKeyspaces(of: handle, published: true) }
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

/// A storage adapter: keeps the rows that the store makes from events. An adapter stores and returns rows, and has
/// nothing to do with events or the network.
///
/// The store calls the write methods of an adapter from one thread at a time, and opens at most one transaction at a time.
/// Snapshots may be opened and used on any threads, also during a transaction. The adapter commits rows and checkpoint
/// atomically, but need not sync them. Only the log is durable, and rows that are lost in a crash are recreated from it.
///
/// `docs/WRITING-AN-ADAPTER.md` is the guide. The library `TidelogConformance` tests an adapter.
@_spi(Adapters) public protocol StorageAdapter: AnyObject, Sendable {
    /// Opens the write transaction. There is at most one at a time.
    func begin() throws -> any AdapterTransaction

    /// Opens a consistent view of the last committed rows.
    func snapshot() throws -> any AdapterSnapshot

    /// Passes the row of `model` under `key` in the last commit to `body`, unless there is none. The row is valid until `body`
    /// returns.
    ///
    /// Without an implementation, this method opens a snapshot. An adapter that can read one row with less work has its own.
    func withRow(_ key: UnsafeRawBufferPointer, in model: ModelLayout, _ body: (StoredRow) throws -> Void) throws

    /// Makes all commits durable.
    func sync() throws

    /// Gives disk space back that the committed rows do not need. Called if the disk is full, while no transaction is open.
    ///
    /// - Returns: Whether space was freed. The store then repeats the work that failed. Without an implementation, it is false.
    func giveSpaceBack() -> Bool

    /// Whether rows of `byteCount` bytes fit on a disk with `freeByteCount` free bytes, or into free pages of the adapter's
    /// files.
    ///
    /// If the disk is nearly full, the store asks before the log takes the events of these rows, also while a transaction is
    /// open. An estimate is enough. Without an implementation, the disk must have four times the bytes and 256 KiB.
    func hasSpace(forRows byteCount: Int, onDisk freeByteCount: Int) -> Bool

    /// Removes all rows, auxiliary entries and the checkpoint, atomically.
    ///
    /// The store calls this method if a compaction has dropped events that the rows do not contain yet. The rows are
    /// then made again from the start, in the same adapter. A new adapter is not used, because readers may have this
    /// one open, and it may have no files.
    func clear() throws

    /// Closes files and frees memory. No transaction or snapshot is open.
    func close() throws
}

@_spi(Adapters) extension StorageAdapter {
    /// Reads the row in a snapshot.
    public func withRow(
        _ key: UnsafeRawBufferPointer, in model: ModelLayout, _ body: (StoredRow) throws -> Void
    ) throws {
        let snapshot = try snapshot()
        defer { snapshot.end() }
        if let row = try snapshot.get(key, in: model) { try body(row) }
    }

    /// Does nothing, because the adapter has no space to give back.
    public func giveSpaceBack() -> Bool { false }

    /// Reckons with indexes and with pages that are half full.
    public func hasSpace(forRows byteCount: Int, onDisk freeByteCount: Int) -> Bool {
        freeByteCount >= 4 * byteCount + (256 << 10)
    }
}

extension StorageAdapter {
    /// The checkpoint of the last commit, `nil` if there is none yet.
    func checkpoint() throws -> Checkpoint? {
        let snapshot = try snapshot()
        defer { snapshot.end() }
        return try snapshot.checkpoint()
    }

    /// Calls `body` with a write transaction, which it commits or rolls back. If `body` throws an error, the transaction is
    /// rolled back. If the map was too small, `body` is called again with a transaction that has a larger map.
    func transact<Result>(_ body: (any AdapterTransaction) throws -> Result) throws -> Result {
        while true {
            let transaction = try begin()
            do { return try body(transaction) } catch {
                transaction.rollback()
                guard let error = error as? DataStoreError, error.isMapFull else { throw error }
            }
        }
    }

    /// Calls `body`. If it throws an error, the adapter is closed.
    package func closingOnError<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch {
            try? close()
            throw error
        }
    }
}

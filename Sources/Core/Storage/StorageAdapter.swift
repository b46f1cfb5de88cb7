/// Where projected rows are kept. Rows in, rows out: an adapter knows nothing of events, models or the network.
///
/// The engine calls an adapter's write side from one thread at a time, and opens at most one transaction at a time;
/// snapshots may be opened and used on any threads, also beside a transaction. The adapter commits rows and checkpoint
/// atomically, but need not sync: only the log is durable, and rows that a crash took back are recreated from it.
///
/// `docs/WRITING-AN-ADAPTER.md` is the guide; the library `TidelogConformance` is the judge.
@_spi(Adapters) public protocol StorageAdapter: AnyObject, Sendable {
    /// Opens the write transaction. There is at most one at a time.
    func begin() throws -> any AdapterTransaction

    /// Opens a consistent view of the last committed rows.
    func snapshot() throws -> any AdapterSnapshot

    /// Makes everything committed durable.
    func sync() throws

    /// Removes all rows, auxiliary rows and the checkpoint, atomically.
    ///
    /// Called if a compaction dropped events that a replay had yet to put: the rows are then filled from the start, in
    /// this adapter, since readers may hold it open and it may have no files that could be made beside it.
    func clear() throws

    /// Gives up files and memory. No transaction or snapshot is open.
    func close() throws
}

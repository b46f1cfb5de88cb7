/// Where projected rows are kept. Rows in, rows out: an adapter knows nothing of events, models or the network.
///
/// The engine calls an adapter's write side from one thread at a time, and opens at most one transaction at a time;
/// snapshots may be opened and used on any threads, also beside a transaction. The adapter commits rows and checkpoint
/// atomically, but need not sync: only the log is durable, and rows that a crash took back are made again from it.
///
/// `docs/WRITING-AN-ADAPTER.md` is the guide; the library `TidelogConformance` is the judge.
@_spi(Adapters) public protocol StorageAdapter: AnyObject, Sendable {
    /// What the adapter can do.
    var capabilities: AdapterCapabilities { get }

    /// Opens the write transaction. There is at most one at a time.
    func begin() throws -> any AdapterTransaction

    /// Opens a consistent view of the last committed rows.
    func snapshot() throws -> any AdapterSnapshot

    /// Makes everything committed durable.
    func sync() throws

    /// Removes all rows, auxiliary rows and the checkpoint, atomically.
    func clear() throws

    /// Gives up files and memory. No transaction or snapshot is open.
    func close() throws
}

/// What an adapter can do.
@_spi(Adapters) public struct AdapterCapabilities: Sendable, Hashable {
    /// The adapter's name: `lmdb`, `sqlite`.
    public let name: String
    /// Whether rows outlive the process.
    public let isPersistent: Bool

    /// The capabilities of the adapter called `name`.
    public init(name: String, isPersistent: Bool) {
        self.name = name
        self.isPersistent = isPersistent
    }
}

/// Where projected rows are kept. Rows in, rows out: an adapter knows nothing of events, models or the network.
///
/// The engine calls an adapter's write side from one thread at a time, and opens at most one transaction at a time;
/// snapshots may be opened and used on any threads, also beside a transaction. The adapter commits rows and checkpoint
/// atomically, but need not sync: only the log is durable, and rows that a crash took back are made again from it.
///
/// `docs/WRITING-AN-ADAPTER.md` is the guide; the library `TidelogConformance` is the judge.
public protocol StorageAdapter: AnyObject, Sendable {
    /// What the adapter can do.
    var capabilities: AdapterCapabilities { get }

    /// Opens the write transaction. There is at most one at a time.
    func begin() throws -> any StorageTransaction

    /// Opens a consistent view of the last committed rows.
    func snapshot() throws -> any StorageSnapshot

    /// Makes everything committed durable.
    func sync() throws

    /// Removes all rows, auxiliary rows and the checkpoint, atomically.
    func clear() throws

    /// Gives up files and memory. No transaction or snapshot is open.
    func close() throws
}

/// What an adapter can do.
public struct AdapterCapabilities: Sendable, Hashable {
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

/// One stored row as a reader hands it out.
///
/// Its bytes are valid until the next call on the same reader; inside `fetch`, until the closure returns, whatever that
/// reads.
public struct StoredRow {
    /// The encoded primary key.
    public let key: UnsafeRawBufferPointer
    /// The event that the row comes from.
    public let sequence: SequenceNumber
    /// The row.
    public let row: RowView

    /// A row under `key`.
    @inline(__always)
    public init(key: UnsafeRawBufferPointer, sequence: SequenceNumber, row: RowView) {
        self.key = key
        self.sequence = sequence
        self.row = row
    }
}

/// A consistent view of rows.
public protocol StorageReader: AnyObject {
    /// The checkpoint that belongs to these rows, `nil` before the first commit.
    func checkpoint() throws -> Checkpoint?

    /// The row of `model` under `key`, `nil` where there is none. Valid until the next call on this reader, whichever that
    /// is: to ask something else meanwhile, copy it first.
    func get(_ key: UnsafeRawBufferPointer, in model: ModelLayout) throws -> StoredRow?

    /// Hands the rows that `query` describes to `body`, in order, until it returns false. `body` may read from this reader,
    /// in any depth; its row stays as it is until it returns.
    func fetch(_ query: StorageQuery, _ body: (StoredRow) throws -> Bool) throws

    /// How many rows `query` describes, its page included.
    func count(_ query: StorageQuery) throws -> Int

    /// How `query` would be answered.
    func plan(_ query: StorageQuery) throws -> QueryPlan

    /// The auxiliary value under `key` in `table`, `nil` where there is none. Valid until the next call on this reader.
    func auxiliaryValue(_ key: UnsafeRawBufferPointer, in table: AuxiliaryTable) throws -> UnsafeRawBufferPointer?

    /// Hands the auxiliary entries of `table` whose keys come after `key` (all, where it is `nil`) to `body`, in order of
    /// their bytes, until it returns false.
    func auxiliaryEntries(
        after key: [UInt8]?, in table: AuxiliaryTable,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool
    ) throws
}

/// A snapshot for reading; it sees nothing committed after it was opened.
public protocol StorageSnapshot: StorageReader {
    /// Ends the snapshot. Nothing is called on it afterwards.
    func end()
}

/// The write transaction. Its reads see its own writes.
public protocol StorageTransaction: StorageReader {
    /// Makes tables, indexes and auxiliary tables as `schema` and `auxiliaryTables` ask. Existing rows stay.
    func prepare(_ schema: SchemaLayout, auxiliaryTables: [AuxiliaryTable]) throws

    /// Applies `changes` to the rows of `model`. They are sorted by key, with one change for each key.
    func apply(_ changes: UnsafeBufferPointer<RowChange>, to model: ModelLayout) throws

    /// Puts an auxiliary value.
    func putAuxiliary(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in table: AuxiliaryTable) throws

    /// Removes an auxiliary value, if there is one.
    func deleteAuxiliary(_ key: UnsafeRawBufferPointer, in table: AuxiliaryTable) throws

    /// Commits everything together with `checkpoint`, atomically. Nothing is called on the transaction afterwards.
    func commit(checkpoint: Checkpoint) throws

    /// Takes everything back. Nothing is called on the transaction afterwards.
    func rollback()
}

/// A table of keys and values that belongs to a projection and is kept with the rows.
public struct AuxiliaryTable: Sendable, Hashable {
    /// The table's place among all auxiliary tables of the store, from 0.
    public let index: Int
    /// The table's name, unique in the store.
    public let name: String

    /// The table at `index`, called `name`.
    public init(index: Int, name: String) {
        self.index = index
        self.name = name
    }
}

/// One change of one row.
public struct RowChange {
    /// The encoded primary key.
    public let key: UnsafeRawBufferPointer
    /// The event that the change comes from.
    public let sequence: SequenceNumber
    /// The row as it is to be, `nil` where it is to go.
    public let row: RowView?
    /// Whether the row existed before: known, so that an adapter need not look.
    public let existed: Bool
    /// The fields that differ from the row before, by slot; for a row that did not exist, all of them.
    public let changedFields: FieldSet

    /// A change of the row under `key`.
    @inline(__always)
    public init(
        key: UnsafeRawBufferPointer, sequence: SequenceNumber, row: RowView?, existed: Bool, changedFields: FieldSet
    ) {
        self.key = key
        self.sequence = sequence
        self.row = row
        self.existed = existed
        self.changedFields = changedFields
    }
}

/// How a store makes its adapter: `.lmdb()`, `.sqlite()`, `.inMemory()`, or one of your own.
public struct AdapterFactory: Sendable {
    /// The adapter's name, recorded in the store.
    public let name: String
    /// Whether the adapter's rows outlive the process, so that it is given a directory.
    public let isPersistent: Bool
    /// Whether rows stand under the names of models and fields, so that they are recreated when one is renamed. Right for
    /// every adapter; one that goes by numbers alone saves the work.
    public let storesNames: Bool
    /// Makes the adapter on the files in a directory that exists, for reading only or for both.
    public let make: @Sendable (_ directory: String, _ isReadOnly: Bool) throws -> any StorageAdapter

    /// A factory of the adapter called `name`.
    public init(
        name: String, isPersistent: Bool, storesNames: Bool = true,
        make: @escaping @Sendable (_ directory: String, _ isReadOnly: Bool) throws -> any StorageAdapter
    ) {
        self.name = name
        self.isPersistent = isPersistent
        self.storesNames = storesNames
        self.make = make
    }
}

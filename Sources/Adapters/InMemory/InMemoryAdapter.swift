@_spi(Adapters) public import TidelogCore
internal import TidelogFoundation
internal import TidelogSynchronization

/// The simplest correct adapter. All its data is one value, so a snapshot and a transaction are copies of this value.
///
/// It uses no index: every query reads the whole table, so its results follow directly from the definition of a query. The
/// conformance kit and the differential fuzzer compare other adapters with these results.
@_spi(Adapters) public final class InMemoryAdapter: StorageAdapter {
    private let committed = Mutex(OrderedTables())

    /// An adapter without rows.
    public init() {}

    /// Opens the write transaction on a copy of the committed rows.
    public func begin() -> any AdapterTransaction {
        Transaction(committed.withLock { $0 }) { [self] rows in committed.withLock { $0 = rows } }
    }

    /// Opens a view of the committed rows, which is a copy.
    public func snapshot() -> any AdapterSnapshot { Snapshot(committed.withLock { $0 }) }

    /// Does nothing, because memory cannot be made durable.
    public func sync() {}

    /// True, because the rows take no space on a disk.
    public func hasSpace(forRows byteCount: Int, onDisk freeByteCount: Int) -> Bool { true }

    /// Removes all rows, auxiliary rows and the checkpoint.
    public func clear() { committed.withLock { $0 = OrderedTables() } }

    /// Frees the rows.
    public func close() { clear() }

    /// A view of the rows as they were when it was opened.
    private final class Snapshot: InMemoryReader, AdapterSnapshot {
        private(set) var rows: OrderedTables
        var lent: TableEntry?

        init(_ rows: OrderedTables) { self.rows = rows }

        func end() {
            rows = OrderedTables()
            lent = nil
        }
    }

    /// The write transaction: a copy of the rows, which replaces the committed rows or is discarded.
    private final class Transaction: InMemoryReader, AdapterTransaction {
        private(set) var rows: OrderedTables
        var lent: TableEntry?
        private let replaceCommitted: (OrderedTables) -> Void

        init(_ rows: OrderedTables, replaceCommitted: @escaping (OrderedTables) -> Void) {
            self.rows = rows
            self.replaceCommitted = replaceCommitted
        }

        func prepare(_ schema: SchemaLayout, auxiliaryTables: [AuxiliaryTable]) {}  // A table is made by its first row.

        func apply(_ changes: UnsafeBufferPointer<RowChange>, to model: ModelLayout) {
            for change in changes {
                if let row = change.row {
                    rows[model].put(TableEntry(key: change.key, value: row.bytes, sequence: change.sequence))
                } else {
                    rows[model].remove(change.key)
                }
            }
        }

        func putAuxiliary(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in table: AuxiliaryTable) {
            rows[table].put(TableEntry(key: key, value: value))
        }

        func deleteAuxiliary(_ key: UnsafeRawBufferPointer, in table: AuxiliaryTable) { rows[table].remove(key) }

        func commit(checkpoint: Checkpoint) {
            rows.checkpoint = checkpoint
            replaceCommitted(rows)
            rows = OrderedTables()
        }

        func rollback() { rows = OrderedTables() }
    }
}

extension AdapterFactory {
    /// Rows in memory. They are lost with the process and recreated from the log.
    public static func inMemory() -> AdapterFactory {
        AdapterFactory(name: "memory", isPersistent: false) { _, _ in InMemoryAdapter() }
    }
}

extension DataStore {
    /// A store for tests and caches, with its rows in memory.
    ///
    /// Its log is in a temporary directory, which is removed together with the store. The log is never synced.
    ///
    /// ```swift
    /// let store = try await DataStore.inMemory(schema: schema)
    /// ```
    ///
    /// - Throws: ``DataStoreError``: `invalidSchema`, `inputOutput`.
    public static func inMemory(schema: Schema, projections: [any Projection] = []) async throws -> DataStore {
        let directory = FileManager.default.temporaryDirectory.appending(
            path: "tidelog-\(UInt64.random(in: 1 ... .max))")
        var configuration = DataStoreConfiguration(durability: .relaxed, projections: projections)
        configuration.isTemporary = true
        let temporary = configuration
        return try await Blocking.run {
            try DataStore(path: directory.path, schema: schema, factory: .inMemory(), configuration: temporary)
        }
    }
}

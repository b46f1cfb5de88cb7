internal import TidelogSynchronization

/// An adapter that keeps changes in memory, over the rows of another adapter that it does not write.
///
/// It works as long as the base adapter's rows stay as they were when it was made. After they have changed, ``snapshot()``
/// throws ``RowsChangedBeneath``.
final class OverlaidAdapter: StorageAdapter {
    private let base: any StorageAdapter
    private let committed: Mutex<OverlaidAdapter.Rows>

    /// Makes an adapter without changes over the present rows of `base`.
    init(over base: any StorageAdapter) throws {
        self.base = base
        committed = Mutex(OverlaidAdapter.Rows(over: try base.checkpoint()))
    }

    /// Whether this adapter was made over the rows of `base` at `checkpoint`.
    func isOver(_ base: any StorageAdapter, at checkpoint: Checkpoint) -> Bool {
        self.base === base && committed.withLock { $0.base } == checkpoint
    }

    func begin() throws -> any AdapterTransaction {
        let rows = committed.withLock { $0 }
        return OverlaidTransaction(try beneath(rows), rows) { [self] rows in committed.withLock { $0 = rows } }
    }

    func snapshot() throws -> any AdapterSnapshot {
        let rows = committed.withLock { $0 }
        return OverlaidSnapshot(try beneath(rows), rows)
    }

    /// A view of the changes over `snapshot`, which is a view of the base adapter. Ending the result ends `snapshot` as well.
    func overlay(_ snapshot: any AdapterSnapshot) -> any AdapterSnapshot {
        OverlaidSnapshot(snapshot, committed.withLock { $0 })
    }

    private func beneath(_ rows: OverlaidAdapter.Rows) throws -> any AdapterSnapshot {
        let snapshot = try base.snapshot()
        do {
            guard try snapshot.checkpoint() == rows.base else { throw RowsChangedBeneath() }
        } catch {
            snapshot.end()
            throw error
        }
        return snapshot
    }

    func sync() {}

    func clear() { committed.withLock { $0 = OverlaidAdapter.Rows(over: $0.base) } }

    func close() throws { try base.close() }

    /// The rows under an overlay have changed since the overlay was made.
    struct RowsChangedBeneath: Error {}

    /// The changes to an adapter's rows since its checkpoint, made in memory from the log.
    struct Rows: Sendable {
        /// The checkpoint of the adapter's rows.
        let base: Checkpoint?
        /// The last event that the rows and the changes together contain.
        var checkpoint: Checkpoint?
        /// The changed rows of each model, by the model's number. A deleted row has no value.
        private var tables: [UInt32: OrderedTable] = [:]
        /// The changed auxiliary entries of each table, by the table's name. A removed entry has no value.
        private var auxiliaryTables: [String: OrderedTable] = [:]

        init(over base: Checkpoint?) {
            self.base = base
            checkpoint = base
        }

        /// The changed rows of `model`.
        subscript(model: ModelLayout) -> OrderedTable {
            _read { yield tables[model.number, default: OrderedTable()] }
            _modify { yield &tables[model.number, default: OrderedTable()] }
        }

        /// The changed entries of an auxiliary table.
        subscript(table: AuxiliaryTable) -> OrderedTable {
            _read { yield auxiliaryTables[table.name, default: OrderedTable()] }
            _modify { yield &auxiliaryTables[table.name, default: OrderedTable()] }
        }
    }
}

/// A view of the base rows and the changes over them.
private final class OverlaidSnapshot: OverlaidReader, AdapterSnapshot {
    private let snapshot: any AdapterSnapshot
    let rows: OverlaidAdapter.Rows
    var lent: TableEntry?

    init(_ snapshot: any AdapterSnapshot, _ rows: OverlaidAdapter.Rows) {
        self.snapshot = snapshot
        self.rows = rows
    }

    var base: any AdapterReader { snapshot }

    func end() { snapshot.end() }
}

/// A transaction that collects further changes.
private final class OverlaidTransaction: OverlaidReader, AdapterTransaction {
    private let snapshot: any AdapterSnapshot
    private(set) var rows: OverlaidAdapter.Rows
    var lent: TableEntry?
    private let replaceCommitted: (OverlaidAdapter.Rows) -> Void

    init(
        _ snapshot: any AdapterSnapshot, _ rows: OverlaidAdapter.Rows,
        replaceCommitted: @escaping (OverlaidAdapter.Rows) -> Void
    ) {
        self.snapshot = snapshot
        self.rows = rows
        self.replaceCommitted = replaceCommitted
    }

    var base: any AdapterReader { snapshot }

    func prepare(_ schema: SchemaLayout, auxiliaryTables: [AuxiliaryTable]) {}  // A table is made by its first change.

    func apply(_ changes: UnsafeBufferPointer<RowChange>, to model: ModelLayout) {
        for change in changes {
            rows[model].put(TableEntry(key: change.key, value: change.row?.bytes, sequence: change.sequence))
        }
    }

    func putAuxiliary(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in table: AuxiliaryTable) {
        rows[table].put(TableEntry(key: key, value: value))
    }

    func deleteAuxiliary(_ key: UnsafeRawBufferPointer, in table: AuxiliaryTable) {
        rows[table].put(TableEntry(key: key, value: nil))
    }

    func commit(checkpoint: Checkpoint) {
        assert(checkpoint.sequence >= rows.checkpoint?.sequence ?? .zero, "a checkpoint never falls")
        rows.checkpoint = checkpoint
        replaceCommitted(rows)
        snapshot.end()
    }

    func rollback() { snapshot.end() }
}

internal import TidelogSynchronization

/// An adapter that keeps changes in memory, over the rows of another adapter that it does not write.
///
/// It works as long as the base adapter's rows stay as they were when it was made. After they have changed, ``snapshot()``
/// throws ``RowsChangedBeneath``.
final class OverlaidAdapter: StorageAdapter {
    private let base: any StorageAdapter
    /// The checkpoint of the base adapter's rows when this adapter was made.
    private let baseCheckpoint: Checkpoint?
    /// The changes to the rows since then, made from the log.
    private let committed: Mutex<OrderedTables>

    /// Makes an adapter without changes over the present rows of `base`.
    init(over base: any StorageAdapter) throws {
        self.base = base
        baseCheckpoint = try base.checkpoint()
        committed = Mutex(OrderedTables(checkpoint: baseCheckpoint))
    }

    /// Whether this adapter was made over the rows of `base` at `checkpoint`.
    func isOver(_ base: any StorageAdapter, at checkpoint: Checkpoint) -> Bool {
        self.base === base && baseCheckpoint == checkpoint
    }

    func begin() throws -> any AdapterTransaction {
        let rows = committed.withLock { $0 }
        return OverlaidTransaction(try beneath(), rows) { [self] rows in committed.withLock { $0 = rows } }
    }

    func snapshot() throws -> any AdapterSnapshot {
        let rows = committed.withLock { $0 }
        return OverlaidSnapshot(try beneath(), rows)
    }

    /// A view of the changes over `snapshot`, which is a view of the base adapter. Ending the result ends `snapshot` as well.
    func overlay(_ snapshot: any AdapterSnapshot) -> any AdapterSnapshot {
        OverlaidSnapshot(snapshot, committed.withLock { $0 })
    }

    private func beneath() throws -> any AdapterSnapshot {
        let snapshot = try base.snapshot()
        do {
            guard try snapshot.checkpoint() == baseCheckpoint else { throw RowsChangedBeneath() }
        } catch {
            snapshot.end()
            throw error
        }
        return snapshot
    }

    func sync() {}

    func clear() { committed.withLock { $0 = OrderedTables(checkpoint: baseCheckpoint) } }

    func close() throws { try base.close() }

    /// The rows under an overlay have changed since the overlay was made.
    struct RowsChangedBeneath: Error {}
}

/// A view of the base rows and the changes over them.
private final class OverlaidSnapshot: OverlaidReader, AdapterSnapshot {
    private let snapshot: any AdapterSnapshot
    let rows: OrderedTables
    var lent: TableEntry?

    init(_ snapshot: any AdapterSnapshot, _ rows: OrderedTables) {
        self.snapshot = snapshot
        self.rows = rows
    }

    var base: any AdapterReader { snapshot }

    func end() { snapshot.end() }
}

/// A transaction that collects further changes.
private final class OverlaidTransaction: OverlaidReader, AdapterTransaction {
    private let snapshot: any AdapterSnapshot
    private(set) var rows: OrderedTables
    var lent: TableEntry?
    private let replaceCommitted: (OrderedTables) -> Void

    init(
        _ snapshot: any AdapterSnapshot, _ rows: OrderedTables, replaceCommitted: @escaping (OrderedTables) -> Void
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

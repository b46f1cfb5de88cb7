@_spi(Adapters) import TidelogCore
import TidelogPlatform
import TidelogSynchronization

/// Publishes the checkpoint half a millisecond before the rows.
final class CheckpointBeforeRows: Flaw, @unchecked Sendable {
    private let published = Mutex<Checkpoint?>(nil)

    override func snapshot() throws -> any AdapterSnapshot {
        let checkpoint = published.withLock { $0 }
        return EarlySnapshot(try inner.snapshot(), checkpoint)
    }

    override func checkpoint(_ reader: any AdapterReader) throws -> Checkpoint? {
        try (reader as? EarlySnapshot)?.early ?? reader.checkpoint()
    }

    override func commit(_ transaction: BrokenTransaction, _ checkpoint: Checkpoint) throws {
        published.withLock { $0 = checkpoint }
        usleep(500)
        try super.commit(transaction, checkpoint)
    }
}

/// A snapshot with a checkpoint that may differ from the checkpoint of its rows.
private final class EarlySnapshot: BrokenReader, AdapterSnapshot {
    let early: Checkpoint?
    let flaw = Flaw()
    private let inner: any AdapterSnapshot

    init(_ inner: any AdapterSnapshot, _ early: Checkpoint?) {
        self.inner = inner
        self.early = early
    }

    var source: any AdapterReader { inner }
    func end() { inner.end() }
}

/// Commits every batch separately.
final class NonAtomicApply: Flaw, @unchecked Sendable {
    override func apply(
        _ changes: UnsafeBufferPointer<RowChange>, to model: ModelLayout, _ transaction: BrokenTransaction
    ) throws {
        let checkpoint = try transaction.inner.checkpoint()
        try super.apply(changes, to: model, transaction)
        guard let checkpoint else { return }
        try transaction.inner.commit(checkpoint: checkpoint)
        transaction.inner = try inner.begin()
    }
}

/// Commits the transaction instead of rolling it back.
final class RollbackCommits: Flaw, @unchecked Sendable {
    override func rollback(_ transaction: BrokenTransaction) {
        guard let checkpoint = try? transaction.inner.checkpoint() else { return transaction.inner.rollback() }
        try? transaction.inner.commit(checkpoint: checkpoint)
    }
}

/// The reads of a transaction see only the last commit.
final class BlindTransaction: Flaw, @unchecked Sendable {
    override func reader(of transaction: any AdapterTransaction) throws -> any AdapterReader { try inner.snapshot() }
}

/// Returns an old snapshot every second time, like a pool that does not renew its snapshots.
final class StaleSnapshot: Flaw, @unchecked Sendable {
    private var pooled: InnerSnapshot?

    override func snapshot() -> any AdapterSnapshot {
        if let stale = pooled {
            pooled = nil
            return stale
        }
        let fresh = InnerSnapshot(inner)
        pooled = fresh
        return fresh
    }
}

/// Reads a row without a snapshot in the first snapshot that was asked for.
final class StaleRow: Flaw, @unchecked Sendable {
    private lazy var first = try? inner.snapshot()

    override func withRow(
        _ key: UnsafeRawBufferPointer, in model: ModelLayout, _ body: (StoredRow) throws -> Void
    ) throws {
        if let row = try first?.get(key, in: model) { try body(row) }
    }
}

/// Snapshots that always see the last commit.
final class LiveSnapshot: Flaw, @unchecked Sendable {
    override func snapshot() -> any AdapterSnapshot { InnerSnapshot(inner, isLive: true) }
}

/// A snapshot that stays readable after its end. With `isLive`, it shows the last commit.
private final class InnerSnapshot: BrokenReader, AdapterSnapshot {
    let flaw = Flaw()
    private let adapter: any StorageAdapter
    private let opened: (any AdapterSnapshot)?
    private let isLive: Bool

    init(_ adapter: any StorageAdapter, isLive: Bool = false) {
        self.adapter = adapter
        self.isLive = isLive
        opened = try? adapter.snapshot()
    }

    var source: any AdapterReader {
        get throws {
            if let opened, !isLive { return opened }
            return try adapter.snapshot()
        }
    }
    func end() {}
}

/// Removes the rows and keeps the checkpoint.
final class ClearKeepsCheckpoint: Flaw, @unchecked Sendable {
    override func clear() throws {
        let checkpoint = try inner.snapshot().checkpoint()
        try inner.clear()
        if let checkpoint { try inner.begin().commit(checkpoint: checkpoint) }
    }
}

/// Keeps all auxiliary entries in one table.
final class SharedAuxiliaryTable: Flaw, @unchecked Sendable {
    override func table(_ table: AuxiliaryTable) -> AuxiliaryTable { AuxiliaryTable(index: 0, name: "first") }
}

/// Does not store the number of the event of a row.
final class LostSequence: Flaw, @unchecked Sendable {
    override func apply(
        _ changes: UnsafeBufferPointer<RowChange>, to model: ModelLayout, _ transaction: BrokenTransaction
    ) throws {
        let changes = changes.map { change in
            RowChange(
                key: change.key, sequence: .zero, row: change.row, existed: change.existed,
                changedFields: change.changedFields)
        }
        try changes.withUnsafeBufferPointer { try super.apply($0, to: model, transaction) }
    }
}

/// Writes a row only if its fields changed. A field counts as unchanged if queries see both values as equal.
final class EqualIsUnchanged: Flaw, @unchecked Sendable {
    override func apply(
        _ changes: UnsafeBufferPointer<RowChange>, to model: ModelLayout, _ transaction: BrokenTransaction
    ) throws {
        let changes = try changes.filter { change in
            guard let row = change.row, let stored = try transaction.inner.get(change.key, in: model) else {
                return true
            }
            return try Record(row, layout: model) != Record(stored.row, layout: model)
        }
        try changes.withUnsafeBufferPointer { try super.apply($0, to: model, transaction) }
    }
}

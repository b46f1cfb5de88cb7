import TestStores
@_spi(Adapters) import Tidelog
import TidelogSynchronization

@_spi(Adapters) @testable import TidelogCore

/// Decides which commits of the rows fail. All instances of an adapter share one object, like one device.
final class CommitFailures: Sendable {
    private let state = Mutex((commitsBefore: 0, failureCount: 0))
    private let failsSync = Mutex(false)
    private let failsBegin = Mutex(false)
    private let refusesRows = Mutex(false)
    private let error: DataStoreError

    init(_ error: DataStoreError = DataStoreError(.inputOutput, "The device failed.", recovery: "Replace it.")) {
        self.error = error
    }

    /// Makes `count` commits fail, after the next `commits` commits.
    func fail(_ count: Int, after commits: Int = 0) { state.withLock { $0 = (commits, count) } }

    /// Makes the next sync fail.
    func failSync() { failsSync.withLock { $0 = true } }

    func checkSync() throws { try check(failsSync) }

    /// Makes the next transaction fail when it begins.
    func failBegin() { failsBegin.withLock { $0 = true } }

    func checkBegin() throws { try check(failsBegin) }

    /// Makes the adapter say that no rows fit on the disk, until rows fit again.
    func refuseRows(_ refuses: Bool) { refusesRows.withLock { $0 = refuses } }

    var acceptsRows: Bool { refusesRows.withLock { !$0 } }

    private func check(_ failsOnce: borrowing Mutex<Bool>) throws {
        let fails = failsOnce.withLock { fails in
            defer { fails = false }
            return fails
        }
        if fails { throw error }
    }

    /// The number of commits that are still going to fail.
    var remaining: Int { state.withLock { $0.failureCount } }

    func checkCommit() throws {
        let fails = state.withLock { state in
            guard state.failureCount > 0 else { return false }
            guard state.commitsBefore == 0 else {
                state.commitsBefore -= 1
                return false
            }
            state.failureCount -= 1
            return true
        }
        if fails { throw error }
    }

    func factory(_ base: AdapterFactory) -> AdapterFactory {
        AdapterFactory(name: base.name, isPersistent: base.isPersistent) { directory, isReadOnly in
            FailingAdapter(try base.make(directory, isReadOnly), self)
        }
    }
}

/// An adapter whose commits fail on demand. After a failure the adapter is unusable, and a new one must be made.
private final class FailingAdapter: StorageAdapter {
    private let base: any StorageAdapter
    private let failures: CommitFailures
    private let isBroken = Mutex(false)

    init(_ base: any StorageAdapter, _ failures: CommitFailures) {
        self.base = base
        self.failures = failures
    }

    func begin() throws -> any AdapterTransaction {
        try isBroken.withLock { isBroken in
            if isBroken { throw DataStoreError(.inputOutput, "The adapter is broken.", recovery: "Open it again.") }
        }
        try failures.checkBegin()
        return FailingTransaction(try base.begin(), failures) { [self] in isBroken.withLock { $0 = true } }
    }

    func hasSpace(forRows byteCount: Int, onDisk freeByteCount: Int) -> Bool { failures.acceptsRows }
    func snapshot() throws -> any AdapterSnapshot { try base.snapshot() }
    func sync() throws {
        try failures.checkSync()
        try base.sync()
    }

    func clear() throws { try base.clear() }
    func close() throws { try base.close() }
}

private final class FailingTransaction: AdapterTransaction {
    private let base: any AdapterTransaction
    private let failures: CommitFailures
    private let hasFailed: () -> Void

    init(_ base: any AdapterTransaction, _ failures: CommitFailures, hasFailed: @escaping () -> Void) {
        self.base = base
        self.failures = failures
        self.hasFailed = hasFailed
    }

    func commit(checkpoint: Checkpoint) throws {
        do {
            try failures.checkCommit()
        } catch {
            base.rollback()
            if (error as? DataStoreError)?.code != .storageFull { hasFailed() }
            throw error
        }
        try base.commit(checkpoint: checkpoint)
    }

    func rollback() { base.rollback() }

    func prepare(_ schema: SchemaLayout, auxiliaryTables: [AuxiliaryTable]) throws {
        try base.prepare(schema, auxiliaryTables: auxiliaryTables)
    }

    func apply(_ changes: UnsafeBufferPointer<RowChange>, to model: ModelLayout) throws {
        try base.apply(changes, to: model)
    }

    func putAuxiliary(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in table: AuxiliaryTable) throws {
        try base.putAuxiliary(key, value, in: table)
    }

    func deleteAuxiliary(_ key: UnsafeRawBufferPointer, in table: AuxiliaryTable) throws {
        try base.deleteAuxiliary(key, in: table)
    }

    func checkpoint() throws -> Checkpoint? { try base.checkpoint() }

    func get(_ key: UnsafeRawBufferPointer, in model: ModelLayout) throws -> StoredRow? {
        try base.get(key, in: model)
    }

    func fetch(_ query: StorageQuery, _ body: (StoredRow) throws -> Bool) throws { try base.fetch(query, body) }
    func count(_ query: StorageQuery) throws -> Int { try base.count(query) }
    func plan(_ query: StorageQuery) throws -> QueryPlan { try base.plan(query) }

    func auxiliaryValue(
        _ key: UnsafeRawBufferPointer, in table: AuxiliaryTable
    ) throws -> UnsafeRawBufferPointer? {
        try base.auxiliaryValue(key, in: table)
    }

    func auxiliaryEntries(
        after key: [UInt8]?, in table: AuxiliaryTable,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        try base.auxiliaryEntries(after: key, in: table, body)
    }
}

@_spi(Adapters) import TidelogConformance
@_spi(Adapters) import TidelogCore
@_spi(Adapters) import TidelogMemoryAdapter

/// The flaw of a broken adapter. A subclass breaks one part, and all other calls go to a correct adapter.
class Flaw: @unchecked Sendable {  // Safe, because the kit uses one adapter at a time.
    let inner: any StorageAdapter = InMemoryAdapter()

    func snapshot() throws -> any AdapterSnapshot { try inner.snapshot() }
    func clear() throws { try inner.clear() }

    func withRow(_ key: UnsafeRawBufferPointer, in model: ModelLayout, _ body: (StoredRow) throws -> Void) throws {
        try inner.withRow(key, in: model, body)
    }

    func checkpoint(_ reader: any AdapterReader) throws -> Checkpoint? { try reader.checkpoint() }

    func fetch(_ query: StorageQuery, _ reader: any AdapterReader, _ body: (StoredRow) throws -> Bool) throws {
        try reader.fetch(query, body)
    }

    func count(_ query: StorageQuery, _ reader: any AdapterReader) throws -> Int {
        var count = 0
        try fetch(query, reader) { _ in
            count += 1
            return true
        }
        return count
    }

    /// The reader that answers the reads of a transaction.
    func reader(of transaction: any AdapterTransaction) throws -> any AdapterReader { transaction }

    func prepare(_ schema: SchemaLayout, _ tables: [AuxiliaryTable], _ transaction: BrokenTransaction) throws {
        try transaction.inner.prepare(schema, auxiliaryTables: tables)
    }

    func apply(
        _ changes: UnsafeBufferPointer<RowChange>, to model: ModelLayout, _ transaction: BrokenTransaction
    ) throws {
        try transaction.inner.apply(changes, to: model)
    }

    func table(_ table: AuxiliaryTable) -> AuxiliaryTable { table }
    func commit(_ transaction: BrokenTransaction, _ checkpoint: Checkpoint) throws {
        try transaction.inner.commit(checkpoint: checkpoint)
    }
    func rollback(_ transaction: BrokenTransaction) { transaction.inner.rollback() }
}

/// An in-memory adapter with a flaw.
final class BrokenAdapter: StorageAdapter {
    private let flaw: Flaw

    init(_ flaw: Flaw) { self.flaw = flaw }

    func begin() throws -> any AdapterTransaction { BrokenTransaction(try flaw.inner.begin(), flaw) }
    func snapshot() throws -> any AdapterSnapshot { BrokenSnapshot(try flaw.snapshot(), flaw) }
    func withRow(_ key: UnsafeRawBufferPointer, in model: ModelLayout, _ body: (StoredRow) throws -> Void) throws {
        try flaw.withRow(key, in: model, body)
    }

    func sync() {}
    func clear() throws { try flaw.clear() }
    func close() {}
}

protocol BrokenReader: AdapterReader {
    var flaw: Flaw { get }
    var source: any AdapterReader { get throws }
}

extension BrokenReader {
    func checkpoint() throws -> Checkpoint? { try flaw.checkpoint(source) }

    func get(_ key: UnsafeRawBufferPointer, in model: ModelLayout) throws -> StoredRow? {
        try source.get(key, in: model)
    }

    func fetch(_ query: StorageQuery, _ body: (StoredRow) throws -> Bool) throws {
        try flaw.fetch(query, source, body)
    }

    func count(_ query: StorageQuery) throws -> Int { try flaw.count(query, source) }
    func plan(_ query: StorageQuery) throws -> QueryPlan { try source.plan(query) }

    func auxiliaryValue(_ key: UnsafeRawBufferPointer, in table: AuxiliaryTable) throws -> UnsafeRawBufferPointer? {
        try source.auxiliaryValue(key, in: flaw.table(table))
    }

    func auxiliaryEntries(
        after key: [UInt8]?, in table: AuxiliaryTable,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        try source.auxiliaryEntries(after: key, in: flaw.table(table), body)
    }
}

final class BrokenSnapshot: BrokenReader, AdapterSnapshot {
    let flaw: Flaw
    private let inner: any AdapterSnapshot

    init(_ inner: any AdapterSnapshot, _ flaw: Flaw) {
        self.inner = inner
        self.flaw = flaw
    }

    var source: any AdapterReader { inner }
    func end() { inner.end() }
}

final class BrokenTransaction: BrokenReader, AdapterTransaction {
    let flaw: Flaw
    var inner: any AdapterTransaction

    init(_ inner: any AdapterTransaction, _ flaw: Flaw) {
        self.inner = inner
        self.flaw = flaw
    }

    var source: any AdapterReader { get throws { try flaw.reader(of: inner) } }

    func prepare(_ schema: SchemaLayout, auxiliaryTables: [AuxiliaryTable]) throws {
        try flaw.prepare(schema, auxiliaryTables, self)
    }

    func apply(_ changes: UnsafeBufferPointer<RowChange>, to model: ModelLayout) throws {
        try flaw.apply(changes, to: model, self)
    }

    func putAuxiliary(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in table: AuxiliaryTable) throws {
        try inner.putAuxiliary(key, value, in: flaw.table(table))
    }

    func deleteAuxiliary(_ key: UnsafeRawBufferPointer, in table: AuxiliaryTable) throws {
        try inner.deleteAuxiliary(key, in: flaw.table(table))
    }

    func commit(checkpoint: Checkpoint) throws { try flaw.commit(self, checkpoint) }
    func rollback() { flaw.rollback(self) }
}

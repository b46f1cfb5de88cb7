@_spi(Adapters) package import TidelogCore

/// An adapter that keeps rows only as long as the contract of `StoredRow` demands: it overwrites a returned row as soon as it
/// may. Code that uses a row for too long therefore always reads garbage with this adapter, and not only sometimes.
package final class FleetingAdapter: StorageAdapter {
    private let base: any StorageAdapter

    /// Makes an adapter for the rows of `base` that returns each row for the shortest allowed time.
    package init(_ base: any StorageAdapter) { self.base = base }

    package func begin() throws -> any AdapterTransaction { FleetingTransaction(try base.begin()) }
    package func snapshot() throws -> any AdapterSnapshot { FleetingSnapshot(try base.snapshot()) }
    package func sync() throws { try base.sync() }
    package func clear() throws { try base.clear() }
    package func close() throws { try base.close() }
}

extension AdapterFactory {
    /// Makes adapters for the rows of `base` that return each row for the shortest allowed time.
    package static func fleeting(_ base: AdapterFactory) -> AdapterFactory {
        AdapterFactory(name: base.name, isPersistent: base.isPersistent, storesNames: base.storesNames) {
            FleetingAdapter(try base.make($0, $1))
        }
    }
}

/// The methods for reading that snapshots and transactions share.
class FleetingReader: AdapterReader {
    private let source: any AdapterReader
    /// The bytes that `get` or `auxiliaryValue` returned last.
    private var lent: LentBytes?
    /// Overwritten memory. It is kept allocated, so that a late access reads garbage and not another row.
    private var spent: [LentBytes] = []

    init(_ source: any AdapterReader) { self.source = source }

    /// Overwrites the bytes that the last call returned.
    func expire() {
        guard let bytes = lent.take() else { return }
        end(bytes)
    }

    private func end(_ bytes: LentBytes) {
        bytes.overwrite()
        spent.append(bytes)
    }

    func checkpoint() throws -> Checkpoint? {
        expire()
        return try source.checkpoint()
    }

    func get(_ key: UnsafeRawBufferPointer, in model: ModelLayout) throws -> StoredRow? {
        // The key may be part of the bytes that were returned before.
        let row = try source.get(key, in: model).map { try lend($0) }
        expire()
        lent = row?.bytes
        return row?.row
    }

    private func lend(_ row: StoredRow) throws -> (row: StoredRow, bytes: LentBytes) {
        let bytes = LentBytes(row.key, row.row.bytes)
        return (StoredRow(key: bytes.first, sequence: row.sequence, row: try RowView(bytes.second)), bytes)
    }

    func fetch(_ query: StorageQuery, _ body: (StoredRow) throws -> Bool) throws {
        expire()
        try source.fetch(query) { row in
            let (row, bytes) = try lend(row)
            defer { end(bytes) }
            return try body(row)
        }
    }

    func count(_ query: StorageQuery) throws -> Int {
        expire()
        return try source.count(query)
    }

    func plan(_ query: StorageQuery) throws -> QueryPlan {
        expire()
        return try source.plan(query)
    }

    func auxiliaryValue(_ key: UnsafeRawBufferPointer, in table: AuxiliaryTable) throws -> UnsafeRawBufferPointer? {
        let bytes = try source.auxiliaryValue(key, in: table).map { LentBytes($0, $0) }
        expire()
        lent = bytes
        return bytes?.first
    }

    func auxiliaryEntries(
        after key: [UInt8]?, in table: AuxiliaryTable,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        expire()
        try source.auxiliaryEntries(after: key, in: table) { key, value in
            let bytes = LentBytes(key, value)
            defer { end(bytes) }
            return try body(bytes.first, bytes.second)
        }
    }
}

private final class FleetingSnapshot: FleetingReader, AdapterSnapshot {
    private let base: any AdapterSnapshot

    init(_ base: any AdapterSnapshot) {
        self.base = base
        super.init(base)
    }

    func end() {
        expire()
        base.end()
    }
}

private final class FleetingTransaction: FleetingReader, AdapterTransaction {
    private let base: any AdapterTransaction

    init(_ base: any AdapterTransaction) {
        self.base = base
        super.init(base)
    }

    func prepare(_ schema: SchemaLayout, auxiliaryTables: [AuxiliaryTable]) throws {
        expire()
        try base.prepare(schema, auxiliaryTables: auxiliaryTables)
    }

    func apply(_ changes: UnsafeBufferPointer<RowChange>, to model: ModelLayout) throws {
        expire()
        try base.apply(changes, to: model)
    }

    func putAuxiliary(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in table: AuxiliaryTable
    ) throws {
        expire()
        try base.putAuxiliary(key, value, in: table)
    }

    func deleteAuxiliary(_ key: UnsafeRawBufferPointer, in table: AuxiliaryTable) throws {
        expire()
        try base.deleteAuxiliary(key, in: table)
    }

    func commit(checkpoint: Checkpoint) throws {
        expire()
        try base.commit(checkpoint: checkpoint)
    }

    func rollback() {
        expire()
        base.rollback()
    }
}

/// Copies of two byte ranges.
private final class LentBytes {
    private let memory: UnsafeMutableRawBufferPointer
    let first: UnsafeRawBufferPointer
    let second: UnsafeRawBufferPointer

    init(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) {
        memory = .allocate(byteCount: first.count + second.count, alignment: 16)
        memory.copyBytes(from: first)
        let rest = UnsafeMutableRawBufferPointer(rebasing: memory[first.count...])
        rest.copyBytes(from: second)
        self.first = UnsafeRawBufferPointer(rebasing: memory[..<first.count])
        self.second = UnsafeRawBufferPointer(rest)
    }

    deinit { memory.deallocate() }

    func overwrite() { memory.initializeMemory(as: UInt8.self, repeating: 0xA5) }
}

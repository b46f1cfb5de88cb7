@_spi(Adapters) internal import TidelogCore
internal import TidelogLMDB

/// The reading of snapshots and write transactions.
///
/// After its end, it refers to no transaction, so the files can be closed with the adapter even if a caller still has a reader.
class LMDBReader: AdapterReader {
    private final var running: Transaction?
    final var keyspaces: Keyspaces

    init(_ transaction: Transaction, _ keyspaces: Keyspaces) {
        running = transaction
        self.keyspaces = keyspaces
    }

    /// The underlying transaction.
    final var transaction: Transaction {
        guard let running else { preconditionFailure("nothing is called on a reader that has ended") }
        return running
    }

    /// Completes pending writes, so that a query sees all changes of its transaction.
    func settle() throws {}

    /// Continues in another transaction.
    final func goOn(in transaction: Transaction) { running = transaction }

    /// Releases the transaction.
    final func release() { running = nil }

    final func checkpoint() throws -> Checkpoint? {
        guard let metadata = keyspaces.metadata else { return nil }
        let value = try translating("read the checkpoint") {
            try withBytes(of: MetadataKey.checkpoint) { try transaction.get(metadata, $0) }
        }
        guard let value else { return nil }
        guard let checkpoint = Checkpoint(encoded: value) else { throw damaged("the checkpoint does not decode") }
        return checkpoint
    }

    final func get(_ key: UnsafeRawBufferPointer, in model: ModelLayout) throws -> StoredRow? {
        guard let table = keyspaces.table(model) else { return nil }
        return try translating("read a row") {
            guard let value = try transaction.get(table, key) else { return nil }
            return try StoredRow(key: key, value: value)
        }
    }

    final func auxiliaryValue(
        _ key: UnsafeRawBufferPointer, in table: AuxiliaryTable
    ) throws -> UnsafeRawBufferPointer? {
        guard let keyspace = keyspaces.auxiliary(table) else { return nil }
        return try translating("read an auxiliary row") { try transaction.get(keyspace, key) }
    }

    final func auxiliaryEntries(
        after key: [UInt8]?, in table: AuxiliaryTable,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        guard let keyspace = keyspaces.auxiliary(table) else { return }
        let cursor = try translating("read auxiliary rows") { try transaction.cursor(keyspace) }
        var entry = try translating("read auxiliary rows") {
            guard let key else { return try cursor.first() }
            return try (key + [0]).withUnsafeBytes { try cursor.seek(atLeast: $0) }
        }
        while let current = entry {
            guard try body(current.key, current.value) else { return }
            entry = try translating("read auxiliary rows") { try cursor.next() }
        }
    }
}

/// A snapshot for reading: a read transaction from the pool, with the keyspaces at its time.
final class LMDBSnapshot: LMDBReader, AdapterSnapshot {
    private var reader: ReadTransaction?
    private let pool: ReaderPool

    init(_ reader: ReadTransaction, _ keyspaces: Keyspaces, pool: ReaderPool) {
        self.reader = reader
        self.pool = pool
        super.init(reader, keyspaces)
    }

    deinit { end() }

    func end() {
        guard let reader else { return }
        self.reader = nil
        release()
        pool.give(reader)
    }
}

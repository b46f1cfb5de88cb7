@_spi(Adapters) import TidelogCore
@_spi(Adapters) import TidelogMemoryAdapter

@testable import TidelogPostgres

/// The tables of a database as a storage adapter, so that the conformance kit and the query fuzzer can ask the store's queries.
///
/// Another adapter keeps the checkpoint and the auxiliary entries, which only rows of a log have. `@unchecked Sendable` is
/// sound, because the tables only change when no reader is open.
final class DatabaseAdapter: StorageAdapter, @unchecked Sendable {
    private let others = InMemoryAdapter()
    private let address: DatabaseAddress
    private var tables: [String: RecordTable] = [:]

    init(_ address: String) throws { self.address = try DatabaseAddress(address) }

    func begin() throws -> any AdapterTransaction { try Transaction(self) }
    func snapshot() throws -> any AdapterSnapshot { try Snapshot(self, others: others.snapshot()) }
    func sync() throws {}
    func close() throws {}

    func clear() throws {
        let connection = try connect()
        for table in tables.values { _ = try connection.run(SQLStatement("DELETE FROM \(table.name)")) }
        others.clear()
    }

    fileprivate func connect() throws -> Connection { try Connection(address, DatabaseAddress.Limits()) }

    /// Reads inside a transaction on a connection of its own.
    class Snapshot: AdapterSnapshot {
        fileprivate let adapter: DatabaseAdapter
        fileprivate let connection: Connection
        fileprivate var reader: DatabaseReader
        fileprivate let others: any AdapterReader

        fileprivate init(
            _ adapter: DatabaseAdapter, begin: String = "BEGIN ISOLATION LEVEL REPEATABLE READ",
            others: any AdapterReader
        ) throws {
            self.adapter = adapter
            self.others = others
            connection = try adapter.connect()
            _ = try connection.run(SQLStatement(begin))
            // The first statement takes the snapshot.
            _ = try connection.run(SQLStatement("SELECT 1"))
            reader = DatabaseReader(inTransactionOf: connection, adapter.tables)
        }

        func end() {
            _ = try? connection.run(SQLStatement("ROLLBACK"))
            (others as? any AdapterSnapshot)?.end()
        }
        func checkpoint() throws -> Checkpoint? { try others.checkpoint() }
        func get(_ key: UnsafeRawBufferPointer, in model: ModelLayout) throws -> StoredRow? {
            try reader.get(key, in: model)
        }
        func fetch(_ query: StorageQuery, _ body: (StoredRow) throws -> Bool) throws { try reader.fetch(query, body) }
        func count(_ query: StorageQuery) throws -> Int { try reader.count(query) }
        func plan(_ query: StorageQuery) throws -> QueryPlan { try reader.plan(query) }
        func auxiliaryValue(_ key: UnsafeRawBufferPointer, in table: AuxiliaryTable) throws -> UnsafeRawBufferPointer? {
            try others.auxiliaryValue(key, in: table)
        }
        func auxiliaryEntries(
            after key: [UInt8]?, in table: AuxiliaryTable,
            _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool
        ) throws { try others.auxiliaryEntries(after: key, in: table, body) }
    }

    final class Transaction: Snapshot, AdapterTransaction {
        private let otherChanges: any AdapterTransaction

        fileprivate init(_ adapter: DatabaseAdapter) throws {
            otherChanges = adapter.others.begin()
            try super.init(adapter, begin: "BEGIN", others: otherChanges)
        }

        func prepare(_ schema: SchemaLayout, auxiliaryTables: [AuxiliaryTable]) throws {
            let tables = schema.models.map { RecordTable($0) }
            try DatabaseSchema(tables: tables, source: "").prepare(adapter.connect())
            adapter.tables = Dictionary(uniqueKeysWithValues: tables.map { ($0.model.name, $0) })
            try otherChanges.prepare(schema, auxiliaryTables: auxiliaryTables)
            reader = DatabaseReader(inTransactionOf: connection, adapter.tables)
        }

        func apply(_ changes: UnsafeBufferPointer<RowChange>, to model: ModelLayout) throws {
            guard let table = adapter.tables[model.name] else { preconditionFailure("the schema was prepared") }
            let assignments = table.assignments(first: 2)
            let names = ([DatabaseNames.key] + assignments.map(\.name)).joined(separator: ", ")
            let values = (["$1"] + assignments.map(\.value)).joined(separator: ", ")
            let setting = assignments.map { "\($0.name) = \($0.value)" }.joined(separator: ", ")
            for change in changes {
                guard let row = change.row else {
                    _ = try connection.run(
                        SQLStatement("DELETE FROM \(table.name) WHERE \(DatabaseNames.key) = $1", [.bytes(change.key)]))
                    continue
                }
                _ = try connection.run(
                    SQLStatement(
                        """
                        INSERT INTO \(table.name)(\(names)) VALUES (\(values)) ON CONFLICT (\(DatabaseNames.key)) \
                        DO UPDATE SET \(setting)
                        """, [.bytes(change.key)] + table.parameters(of: row)))
            }
        }

        func putAuxiliary(
            _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in table: AuxiliaryTable
        ) throws { try otherChanges.putAuxiliary(key, value, in: table) }

        func deleteAuxiliary(_ key: UnsafeRawBufferPointer, in table: AuxiliaryTable) throws {
            try otherChanges.deleteAuxiliary(key, in: table)
        }

        func commit(checkpoint: Checkpoint) throws {
            _ = try connection.run(SQLStatement("COMMIT"))
            try otherChanges.commit(checkpoint: checkpoint)
        }

        func rollback() {
            _ = try? connection.run(SQLStatement("ROLLBACK"))
            otherChanges.rollback()
        }
    }
}

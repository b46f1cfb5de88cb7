@_spi(Adapters) internal import TidelogCore

/// The adapter that a case checks, with the data that the engine would have: the schema and the present rows.
final class Subject {
    let directory: String
    private(set) var adapter: any StorageAdapter
    private(set) var schema: SchemaLayout
    /// The last sequence number that was used, and the number of the last checkpoint.
    private(set) var sequence: UInt64 = 0
    private var isOpen = true
    private let makeAdapter: (String) throws -> any StorageAdapter
    /// The expected rows by model and key. They define whether a row existed and which fields a change changes.
    private var rows: [String: [[UInt8]: [UInt8]]] = [:]

    static let auxiliaryTables = [AuxiliaryTable(index: 0, name: "first"), AuxiliaryTable(index: 1, name: "second")]

    init(directory: String, schema: Schema, makeAdapter: @escaping (String) throws -> any StorageAdapter) throws {
        try schema.validate()
        self.directory = directory
        self.schema = SchemaLayout(StoredSchema(first: schema))
        self.makeAdapter = makeAdapter
        adapter = try makeAdapter(directory)
    }

    func model(_ name: String) -> ModelLayout {
        guard let model = schema.model(named: name) else { preconditionFailure("the case's schema has \(name)") }
        return model
    }

    /// The checkpoint of commit `number`.
    func checkpoint(_ number: UInt64) -> Checkpoint {
        Checkpoint(
            store: StoreID(high: 0xFEDC_BA98_7654_3210, low: 1), sequence: SequenceNumber(number),
            chain: (number &+ 1) &* 0x9E37_79B9_7F4A_7C15, schemaVersion: schema.schema.version,
            projectionSignature: 7)
    }

    func nextSequence() -> SequenceNumber {
        sequence += 1
        return SequenceNumber(sequence)
    }

    // MARK: Writing

    /// Makes the tables of the schema in a separate commit.
    func prepare() throws {
        try write { try $0.transaction.prepare(schema, auxiliaryTables: Self.auxiliaryTables) }
    }

    /// Replaces the present schema with `next`, like the engine does if the code declares a different schema.
    func adopt(_ next: Schema) throws {
        try next.validate()
        schema = SchemaLayout(schema.schema.adopting(next))
        try prepare()
    }

    /// Calls `body` with a transaction and commits it with a new checkpoint. If `body` throws, the transaction is rolled back.
    func write(_ body: (WriteScope) throws -> Void) throws {
        try transaction { scope in
            try body(scope)
            _ = nextSequence()
            return checkpoint(sequence)
        }
    }

    /// Calls `body` with a transaction and commits it with the checkpoint that `body` returns.
    ///
    /// If `body` returns no checkpoint or throws, the transaction is rolled back.
    func transaction(_ body: (WriteScope) throws -> Checkpoint?) throws {
        let scope = WriteScope(try adapter.begin(), subject: self, rows: rows)
        var isOpen = true
        defer { if isOpen { scope.transaction.rollback() } }
        guard let checkpoint = try body(scope) else { return }
        isOpen = false
        try scope.transaction.commit(checkpoint: checkpoint)
        rows = scope.rows
    }

    func save(_ records: [Record]) throws { try write { try $0.save(records) } }
    func save(_ records: Record...) throws { try save(records) }
    func delete(_ model: String, _ ids: [RecordID]) throws { try write { try $0.delete(model, ids) } }

    func clear() throws {
        try adapter.clear()
        rows = [:]
    }

    /// Closes the adapter, if it is open.
    func close() throws {
        guard isOpen else { return }
        isOpen = false
        try adapter.close()
    }

    /// Closes the adapter and opens a new one in the same directory.
    func reopen() throws {
        try close()
        adapter = try makeAdapter(directory)
        isOpen = true
    }

    // MARK: Reading

    /// Calls `body` with a snapshot.
    func read<Result>(_ body: (ReadScope) throws -> Result) throws -> Result {
        let snapshot = try adapter.snapshot()
        defer { snapshot.end() }
        return try body(ReadScope(reader: snapshot, schema: schema))
    }

    /// The record with `id` and the number of its event, read without a snapshot; `nil` if there is none.
    func record(_ name: String, _ id: RecordID) throws -> (record: Record, sequence: SequenceNumber)? {
        let model = model(name)
        var found: (record: Record, sequence: SequenceNumber)?
        try model.withKey(of: id) { key in
            try adapter.withRow(key, in: model) { stored in
                try expect(found == nil, true, "A row is passed once.")
                try expect(Array(stored.key), Array(key), "The row comes with the key asked for.")
                found = (try Record(stored.row, layout: model), stored.sequence)
            }
        }
        return found
    }

    /// Calls `body` with a snapshot and then with a transaction that is rolled back. Both must show the same rows.
    func readBoth(_ body: (ReadScope) throws -> Void) throws {
        try read(body)
        try transaction { scope in
            try body(scope.read)
            return nil
        }
    }
}

@_spi(Adapters) import TidelogCore
import TidelogPlatform

@_spi(Adapters) import TidelogSQLiteAdapter

/// A temporary directory, which is removed when its owner releases it.
final class TemporaryDirectory {
    let path: String

    init() throws {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(base)/rows-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw TestFailure("no temporary directory") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    var file: String { path + "/rows.sqlite" }

    deinit {
        for suffix in ["", "-wal", "-shm"] { unlink(file + suffix) }
        rmdir(path)
    }
}

struct TestFailure: Error {
    let reason: String
    init(_ reason: String) { self.reason = reason }
}

/// An adapter for a schema, with short methods for the steps that tests repeat.
final class Fixture {
    let directory: TemporaryDirectory
    private(set) var layout: SchemaLayout
    private(set) var adapter: any StorageAdapter
    private var sequence: UInt64 = 0
    private let store = StoreID(high: 7, low: 9)

    convenience init(_ models: ModelSchema...) throws { try self.init(StoredSchema(first: Schema(models: models))) }

    init(_ schema: StoredSchema) throws {
        try schema.declared.validate()
        directory = try TemporaryDirectory()
        layout = SchemaLayout(schema)
        adapter = try AdapterFactory.sqlite().make(directory.path, false)
        try prepare(schema)
    }

    func prepare(_ schema: StoredSchema) throws {
        layout = SchemaLayout(schema)
        try write { try $0.prepare(layout, auxiliaryTables: []) }
    }

    func reopen() throws {
        try adapter.close()
        adapter = try AdapterFactory.sqlite().make(directory.path, false)
    }

    func model(_ name: String) throws -> ModelLayout {
        guard let model = layout.model(named: name) else { throw TestFailure("no model \(name)") }
        return model
    }

    var checkpoint: Checkpoint {
        Checkpoint(
            store: store, sequence: SequenceNumber(sequence), chain: 42, schemaVersion: layout.schema.version,
            projectionSignature: 0)
    }

    func write(_ body: (any AdapterTransaction) throws -> Void) throws {
        let transaction = try adapter.begin()
        do {
            try body(transaction)
        } catch {
            transaction.rollback()
            throw error
        }
        sequence += 1
        try transaction.commit(checkpoint: checkpoint)
    }

    func put(_ rows: [EncodedRow], in model: ModelLayout, existed: Bool = false, changed: [UInt8]? = nil) throws {
        try write { try $0.put(rows, in: model, existed: existed, changed: changed) }
    }

    func put(_ values: [String: FieldValue], in name: String, existed: Bool = false) throws {
        let model = try model(name)
        try put([try EncodedRow(Record(model: name, values: values), layout: model)], in: model, existed: existed)
    }

    func read<Result>(_ body: (any AdapterSnapshot) throws -> Result) throws -> Result {
        let snapshot = try adapter.snapshot()
        defer { snapshot.end() }
        return try body(snapshot)
    }
}

extension AdapterTransaction {
    func put(_ rows: [EncodedRow], in model: ModelLayout, existed: Bool, changed: [UInt8]? = nil) throws {
        let changed = changed ?? Array(repeating: 0xFF, count: 256)
        for row in rows.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            try changed.withUnsafeBytes { changed in
                try row.withRow { key, view in
                    let change = RowChange(
                        key: key, sequence: SequenceNumber(5), row: view, existed: existed,
                        changedFields: FieldSet(bits: changed))
                    try withUnsafePointer(to: change) {
                        try apply(UnsafeBufferPointer(start: $0, count: 1), to: model)
                    }
                }
            }
        }
    }

    func delete(_ key: [UInt8], in model: ModelLayout) throws {
        try key.withUnsafeBytes { key in
            let change = RowChange(
                key: key, sequence: SequenceNumber(6), row: nil, existed: true, changedFields: FieldSet(bits: key))
            try withUnsafePointer(to: change) { try apply(UnsafeBufferPointer(start: $0, count: 1), to: model) }
        }
    }
}

extension AdapterReader {
    func row(_ key: [UInt8], in model: ModelLayout) throws -> [UInt8]? {
        try key.withUnsafeBytes { try get($0, in: model).map { Array($0.row.bytes) } }
    }

    func rows(_ query: StorageQuery) throws -> [(key: [UInt8], row: [UInt8])] {
        var rows: [(key: [UInt8], row: [UInt8])] = []
        try fetch(query) { row in
            rows.append((Array(row.key), Array(row.row.bytes)))
            return true
        }
        return rows
    }

    func records(_ query: StorageQuery) throws -> [Record] {
        var records: [Record] = []
        try fetch(query) { row in
            records.append(try Record(row.row, layout: query.model))
            return true
        }
        return records
    }

    func texts(
        _ field: String, of model: ModelLayout, where predicate: QueryPredicate = .all, sort: Sort = .byKey
    ) throws -> [String] {
        try records(try StorageQuery(model: model, predicate: predicate, sort: sort)).compactMap { record in
            guard case .string(let text)? = record[field] else { return nil }
            return text
        }
    }
}

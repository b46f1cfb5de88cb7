import SeededNumbers
import Testing

@_spi(Adapters) @testable import TidelogCore

@Suite struct StateHashTests {
    @Test func `stores with equal content have equal hashes, whatever numbers their fields have`() throws {
        var generator = SeededGenerator(151)
        for _ in 0..<20 {
            let declared = try generator.schema()
            var shuffled = declared
            shuffled.models.reverse()
            for index in shuffled.models.indices { shuffled.models[index].fields.shuffle(using: &generator) }
            for index in shuffled.embeddedTypes.indices { shuffled.embeddedTypes[index].fields.reverse() }
            let first = SchemaLayout(StoredSchema(first: declared))
            let second = SchemaLayout(StoredSchema(first: shuffled).adopting(declared))
            var ids = Set<[FieldValue?]>()
            let records = try declared.models.flatMap { model in
                try (0..<4).map { _ in try generator.record(of: model, in: declared) }.filter { record in
                    ids.insert([.string(model.name)] + model.primaryKey.map { record[$0] }).inserted
                }
            }
            let hash = try Self.hash(records, first)
            #expect(try Self.hash(records, second) == hash)
            #expect(try Self.hash(records.reversed(), first) == hash)
        }
    }

    @Test func `stores with different content have different hashes`() throws {
        let layout = SchemaLayout(StoredSchema(first: SampleSchema.declared))
        let contents: [[String: FieldValue]] = [
            [:], ["title": ""], ["title": "a"], ["title": "b"], ["whole": 0], ["stamp": 0], ["names": .list([])],
            ["names": .list(["a", "b"])], ["names": .list(["ab"])], ["wholes": .list([nil])], ["wholes": .list([])],
            ["places": .list([])], ["places": .list([nil])], ["places": .list([nil, nil])],
            ["places": .list([.embedded(["city": ""])])], ["places": .list([nil, .embedded(["city": ""])])],
            ["places": .list([.embedded(["city": ""]), nil])], ["place": .embedded(["city": ""])],
            ["place": .embedded(["city": "", "near": .list([])])],
            ["place": .embedded(["city": "", "near": .list([.embedded(["city": ""])])])],
            ["place": .embedded(["city": "", "inside": .embedded(["city": ""])])],
            ["place": .embedded(["city": "", "inside": .embedded(["city": "", "height": 1.0])])],
            ["place": .embedded(["city": "", "height": 1.0, "inside": .embedded(["city": ""])])],
            ["place": .embedded(["city": "", "inside": .embedded(["city": ""]), "near": .list([])])],
            ["place": .embedded(["city": "", "inside": .embedded(["city": "", "near": .list([])])])],
            ["grid": .list([])], ["grid": .list([.list([])])], ["grid": .list([nil])],
            ["grid": .list([.list([]), nil])],
        ]
        let hashes = try contents.map { values in
            try Self.hash([Record(model: "Sample", values: values.merging(["id": "1"]) { $1 })], layout)
        }
        #expect(Set(hashes).count == contents.count)
        #expect(try Self.hash([], layout) == StateHash())
    }

    @Test func `lists of embedded values without fields have different hashes if their lengths differ`() throws {
        let fields = [
            FieldSchema("id", .id, isRequired: true),
            FieldSchema("list", .list(.embedded("Empty"), elementIsRequired: false)),
        ]
        let declared = Schema(
            models: [ModelSchema(name: "M", fields: fields)],
            embeddedTypes: [EmbeddedSchema(name: "Empty", fields: [FieldSchema("missing", .string)])])
        let layout = SchemaLayout(StoredSchema(first: declared))
        let lists: [[FieldValue?]] = [
            [], [.embedded([:])], [.embedded([:]), .embedded([:])], [nil], [nil, .embedded([:])],
            [.embedded([:]), nil],
        ]
        let hashes = try lists.map { list in
            try Self.hash([Record(model: "M", values: ["id": "1", "list": .list(list)])], layout)
        }
        #expect(Set(hashes).count == lists.count)
    }

    private static func hash(_ records: [Record], _ layout: SchemaLayout) throws -> StateHash {
        try StateHash(of: ReaderOfRows(records, layout), schema: layout)
    }
}

/// Rows in memory that can only be read in the order of their keys.
private final class ReaderOfRows: AdapterReader {
    private var rows: [String: [EncodedRow]] = [:]

    init(_ records: [Record], _ layout: SchemaLayout) throws {
        for record in records {
            let model = try #require(layout.model(named: record.model))
            rows[record.model, default: []].append(try EncodedRow(record, layout: model))
        }
        for model in rows.keys { rows[model]?.sort { $0.key.lexicographicallyPrecedes($1.key) } }
    }

    func fetch(_ query: StorageQuery, _ body: (StoredRow) throws -> Bool) throws {
        for row in rows[query.model.name] ?? [] {
            let goesOn = try row.withRow { try body(StoredRow(key: $0, sequence: .zero, row: $1)) }
            if !goesOn { return }
        }
    }

    func checkpoint() throws -> Checkpoint? { nil }
    func get(_ key: UnsafeRawBufferPointer, in model: ModelLayout) throws -> StoredRow? { nil }
    func count(_ query: StorageQuery) throws -> Int { 0 }
    func plan(_ query: StorageQuery) throws -> QueryPlan { QueryPlan(index: nil, summary: "", sorts: false) }
    func auxiliaryValue(_ key: UnsafeRawBufferPointer, in table: AuxiliaryTable) throws -> UnsafeRawBufferPointer? {
        nil
    }
    func auxiliaryEntries(
        after key: [UInt8]?, in table: AuxiliaryTable,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool
    ) throws {}
}

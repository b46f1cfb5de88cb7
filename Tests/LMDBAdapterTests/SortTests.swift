import SeededNumbers
import Testing
@_spi(Adapters) import TidelogCore

@_spi(Adapters) @testable import TidelogLMDBAdapter

@Suite("LMDB adapter: sorting and cut keys")
struct SortTests {
    static let schema = SchemaLayout(
        StoredSchema(
            first: Schema(models: [
                ModelSchema(
                    name: "Item",
                    fields: [
                        FieldSchema("id", .id, isRequired: true), FieldSchema("text", .string),
                        FieldSchema("rank", .int),
                    ], indexes: [IndexSchema(name: "byText", fields: ["text"])])
            ])))

    let scratch: Scratch
    var model: ModelLayout { Self.schema.models[0] }

    init() throws { scratch = try Scratch() }

    private func filled(_ records: [Record]) throws -> LMDBAdapter {
        let adapter = try scratch.open()
        try adapter.write { transaction in
            try transaction.prepare(Self.schema, auxiliaryTables: [])
            try transaction.apply(records.map(Change.put), to: model)
        }
        return adapter
    }

    private func item(_ id: String, _ text: String?, _ rank: Int64? = nil) -> Record {
        var record = Record(model: "Item", values: ["id": .string(id)])
        record["text"] = text.map(FieldValue.string)
        record["rank"] = rank.map(FieldValue.int)
        return record
    }

    @Test(
        "A page of a sorted result has the same rows as that part of the whole sorted result", arguments: [true, false])
    func firstRows(isDescending: Bool) throws {
        var generator = SeededGenerator(5)
        let adapter = try filled(
            (0..<6_000).map { item("\($0)", nil, generator.once(in: 50) ? nil : Int64(generator.below(900)) - 450) })
        defer { try? adapter.close() }
        let sort = Sort([.init("rank", isDescending: isDescending)])
        try adapter.read { snapshot throws in
            let all = try snapshot.records(StorageQuery(model: model, sort: sort))
            #expect(all.count == 6_000)
            for (offset, limit) in [(0, 1), (0, 10), (7, 600), (1_000, 100), (5_990, 100)] {
                let page = Page(offset: offset, limit: limit)
                let query = try StorageQuery(model: model, sort: sort, page: page)
                #expect(try snapshot.plan(query).sorts)
                #expect(try snapshot.records(query) == Array(all.dropFirst(offset).prefix(limit)))
            }
        }
    }

    @Test("Texts longer than a key are found and ordered by all of their bytes")
    func longTexts() throws {
        let start = String(repeating: "x", count: 300)
        let texts = (0..<40).map { start + String(repeating: "y", count: $0 * 37 % 41 * 17) + "\($0 % 7)" }
        let adapter = try filled(texts.enumerated().map { item("\($0)", $1) } + [item("a", "x"), item("b", "y")])
        defer { try? adapter.close() }
        let sorted = texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        try adapter.read { snapshot throws in
            for isDescending in [false, true] {
                let query = try StorageQuery(
                    model: model, predicate: .field("text", .beginsWith(start)),
                    sort: Sort([.init("text", isDescending: isDescending)]), page: .first(100))
                #expect(try snapshot.plan(query).index == "byText")
                let expected = isDescending ? sorted.reversed() : sorted
                #expect(try snapshot.records(query).map { $0["text"] } == expected.map(FieldValue.string))
                #expect(try snapshot.count(query) == 40)
            }
            for text in texts {
                let query = try StorageQuery(model: model, predicate: .field("text", .equal(.string(text))))
                #expect(try snapshot.plan(query).index == "byText")
                #expect(try snapshot.records(query).map { $0["text"] } == [.string(text)])
            }
        }
        try adapter.write { try $0.apply(texts.enumerated().map { .delete(item("\($0)", $1)) }, to: model) }
        let rest = try StorageQuery(model: model, predicate: .field("text", .notEqual(nil)))
        #expect(try adapter.read { try $0.count(rest) } == 2)
    }

    @Test("A descending scan separates a long run of equal texts from texts that continue with U+0000")
    func runsBeforeNul() throws {
        let records = (0..<100).map { item("a\($0)", "a") } + (0..<100).map { item("n\($0)", "a\u{0}") }
        let adapter = try filled(records)
        defer { try? adapter.close() }
        let query = try StorageQuery(
            model: model, sort: Sort([.init("text", isDescending: true)]), page: .first(1_000))
        let texts = try adapter.read { try $0.records(query) }.map { $0["text"] }
        #expect(texts == Array(repeating: "a\u{0}", count: 100) + Array(repeating: "a", count: 100))
    }

    @Test("An index key of 511 bytes is whole, one of 512 bytes is cut, and both contain the primary key")
    func cutting() throws {
        for textByteCount in [0, 1, 253, 254, 255, 490, 491, 492, 493, 494, 495, 600, 100_000] {
            let text = String(repeating: "x", count: textByteCount)
            let row = try EncodedRow(item("0f0e0d0c-0b0a-0908-0706-050403020100", text), layout: model)
            let arena = ByteArena()
            let components: ContiguousArray = [IndexKey.Component(slot: 1, kind: .text)]
            try row.withRow { primaryKey, view in
                let count = try IndexKey.encode(components, of: view, primaryKey: primaryKey, behind: arena)
                let key = UnsafeRawBufferPointer(start: arena.base, count: count)
                // A whole key consists of a tag, the text, the end of the text, and the 17 bytes of a UUID.
                let whole = textByteCount + 2 + 17
                #expect(count == (whole <= 511 ? whole : 254 + 1 + 17 + 1))
                let found = try IndexKey.primaryKey(in: key, componentCount: 1, keyFieldCount: 1)
                #expect(Array(found) == row.key)
                #expect(IndexKey.isLong(key, componentCount: 1) == (textByteCount + 2 > 254))
            }
        }
    }
}

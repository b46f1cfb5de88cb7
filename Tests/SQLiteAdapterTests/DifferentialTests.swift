import SeededNumbers
import Testing
@_spi(Adapters) import TidelogCore

/// The reference for the adapter. It keeps rows in memory, filters them with the compiled predicate, and sorts them by the
/// bytes of their key components.
struct Reference {
    var rows: [[UInt8]: [UInt8]] = [:]

    func answer(_ query: StorageQuery) throws -> [(key: [UInt8], row: [UInt8])] {
        var found: [(sort: [[UInt8]], key: [UInt8], row: [UInt8])] = []
        for (key, row) in rows {
            if let after = query.afterKey, !after.lexicographicallyPrecedes(key) { continue }
            try row.withUnsafeBytes { bytes in
                let view = try RowView(bytes)
                guard try query.filter.evaluate(view) else { return }
                found.append((try query.sort.map { try Self.component(view, $0.field) }, key, row))
            }
        }
        found.sort { left, right in
            for (index, sort) in query.sort.enumerated() where left.sort[index] != right.sort[index] {
                return left.sort[index].lexicographicallyPrecedes(right.sort[index]) != sort.isDescending
            }
            return left.key.lexicographicallyPrecedes(right.key)
        }
        let page = found.dropFirst(query.page.offset).prefix(query.page.limit ?? .max)
        return page.map { ($0.key, $0.row) }
    }

    private static func component(_ row: RowView, _ field: FieldLayout) throws -> [UInt8] {
        try withUnsafeTemporaryAllocation(byteCount: 1_024, alignment: 8) { buffer in
            var encoder = KeyEncoder(buffer)
            try encoder.appendComponent(of: row, field: field)
            return Array(encoder.bytes)
        }
    }
}

@Suite("SQLite answers every query as the compiled predicate does")
struct DifferentialTests {
    private static func load(
        _ fixture: Fixture, _ model: ModelLayout, _ random: inout SeededGenerator, count: Int
    ) throws -> Reference {
        var reference = Reference()
        var rows: [EncodedRow] = []
        for number in 0..<count {
            var values = try random.values(of: model.row.fields.map(\.schema))
            if model.name == "Everything" {
                values["id"] = .string(
                    random.chance(80) ? random.uuid(number) : "\(random.pick(SeededGenerator.texts))\(number)")
            }
            let row = try EncodedRow(Record(model: model.name, values: values), layout: model)
            guard reference.rows.updateValue(row.bytes, forKey: row.key) == nil else { continue }
            rows.append(row)
        }
        rows = rows.map { row in
            reference.rows[row.key] = row.bytes
            return row
        }
        try fixture.put(rows, in: model)
        return reference
    }

    @Test(
        "Random predicates, orders and pages over rows of every type give the same rows and counts as the reference",
        arguments: ["Everything", "Pair"], [11, 12] as [UInt64])
    func random(model name: String, seed: UInt64) throws {
        var random = SeededGenerator(seed)
        let fixture = try Fixture(Everything.schema)
        let model = try fixture.model(name)
        let reference = try Self.load(fixture, model, &random, count: 150)
        let keys = reference.rows.keys.sorted { $0.lexicographicallyPrecedes($1) }
        try fixture.read { snapshot throws in
            var nonempty = 0
            for number in 0..<600 {
                let predicate = try random.predicate(for: model)
                let sort = random.sort(for: model)
                let after = sort.keys.isEmpty && random.chance(50) ? random.pick(keys) : nil
                let query = try StorageQuery(
                    model: model, predicate: predicate, sort: sort, page: random.page(), afterKey: after)
                let expected = try reference.answer(query)
                let found = try snapshot.rows(query)
                if !expected.isEmpty { nonempty += 1 }
                guard found.map(\.key) == expected.map(\.key), found.map(\.row) == expected.map(\.row) else {
                    Issue.record("query \(number) of seed \(seed) differs: \(predicate) \(sort) \(query.page)")
                    return
                }
                #expect(try snapshot.count(query) == expected.count, "\(predicate) \(query.page)")
            }
            #expect(nonempty > 200)
        }
    }
}

extension SeededGenerator {
    mutating func uuid(_ number: Int) -> String {
        let digits = String(UInt64(number) &* 0x9E37_79B9_7F4A_7C15, radix: 16)
        let padded = String(repeating: "0", count: 16 - digits.count) + digits
        let text = "\(padded.prefix(8))-\(padded.dropFirst(8).prefix(4))-\(padded.suffix(4))-8000-000000000001"
        return chance(20) ? text.uppercased() : text
    }
}

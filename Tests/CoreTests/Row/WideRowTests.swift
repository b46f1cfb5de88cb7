import SeededNumbers
import Testing

@_spi(Adapters) @testable import TidelogCore

@Suite struct WideRowTests {
    static let sizes = [65_400] + Array(65_466...65_482) + [65_510, 65_536, 131_072]

    @Test(arguments: [false, true])
    func `a row that grows beyond 65,535 bytes at any field becomes wide and reads back`(isReordered: Bool) throws {
        let model = Self.model(fieldCount: 10, isReordered: isReordered)
        for position in [1, 2, 5, 8, 9] {
            for size in Self.sizes {
                var record = Record(model: "Wide", values: ["f0": "key"])
                for index in 1..<10 where index % 3 != 0 { record["f\(index)"] = .string("value\(index)") }
                record["f\(position)"] = .string(String(repeating: "x", count: size))
                try Self.check(record, model)
            }
        }
    }

    @Test(arguments: [false, true])
    func `a row of many values of medium size is wide exactly if it exceeds 65,535 bytes`(isReordered: Bool) throws {
        var generator = SeededGenerator(21)
        let model = Self.model(fieldCount: 20, isReordered: isReordered)
        for _ in 0..<30 {
            var record = Record(model: "Wide", values: ["f0": "key"])
            for index in 1..<20 where !generator.once(in: 4) {
                record["f\(index)"] = .string(String(repeating: "y", count: generator.below(8_000)))
            }
            try Self.check(record, model)
        }
    }

    @Test func `a row of 65,535 bytes is narrow, and a row with one more byte is wide`() throws {
        let model = Self.model(fieldCount: 2, isReordered: false)
        let header = 4 + 1 + 2 * 2
        for (count, isWide) in [(65_535 - header - 1, false), (65_535 - header, true)] {
            let record = Record(
                model: "Wide", values: ["f0": "k", "f1": .string(String(repeating: "x", count: count))])
            let row = try EncodedRow(record, layout: model)
            #expect((row.bytes[0] & RowView.wideFlag != 0) == isWide)
            #expect(row.bytes.count == (isWide ? 65_536 + 4 : 65_535))
        }
    }

    @Test(arguments: [255, 256, 257, 1_000], [false, true])
    func `a row with up to 1,000 fields reads back, narrow and wide`(fieldCount: Int, isReordered: Bool) throws {
        let model = Self.model(fieldCount: fieldCount, isReordered: isReordered)
        var record = Record(model: "Wide", values: ["f0": "key"])
        for index in 1..<fieldCount where index % 2 == 0 { record["f\(index)"] = .string("value\(index)") }
        try Self.check(record, model)
        record["f1"] = .string(String(repeating: "z", count: 70_000))
        try Self.check(record, model)
    }

    @Test func `rows with wide and narrow embedded values and lists read back`() throws {
        let model = try SampleSchema.layout()
        let long = FieldValue.string(String(repeating: "é", count: 40_000))
        var record = SampleSchema.record
        record["place"] = .embedded(["city": long, "inside": .embedded(["city": long, "near": .list([nil])])])
        try Self.check(record, model)
        record["names"] = .list([long, "short", long])
        record["places"] = .list([.embedded(["city": "x"]), nil, .embedded(["city": long, "height": 1.5])])
        try Self.check(record, model)
        record["place"] = nil
        try Self.check(record, model)
    }

    static func model(fieldCount: Int, isReordered: Bool) -> ModelLayout {
        let fields = (0..<fieldCount).map { FieldSchema("f\($0)", .string, isRequired: $0 == 0) }
        let declared = Schema(models: [ModelSchema(name: "Wide", fields: fields, primaryKey: ["f0"])])
        var schema = StoredSchema(first: declared)
        if isReordered {
            var next = declared
            next.models[0].fields = fields.reversed()
            schema = schema.adopting(next)
        }
        return SchemaLayout(schema).models[0]
    }

    static func check(_ record: Record, _ model: ModelLayout) throws {
        let row = try EncodedRow(record, layout: model)
        #expect((row.bytes[0] & RowView.wideFlag != 0) == (row.bytes.count > 65_535))
        let isSame = try row.withRow { try Record($1, layout: model) == record }
        #expect(isSame)
    }
}

import SeededNumbers
import Testing

@_spi(Adapters) @testable import TidelogCore

@Suite struct TypedRowTests {
    @Test func `a typed model reads any record, writes the same bytes, and reads an equal model from them`() throws {
        var generator = SeededGenerator(41)
        let model = try SampleSchema.layout()
        for _ in 0..<300 {
            let record = try generator.record(of: model.schema, in: SampleSchema.declared)
            let row = try EncodedRow(record, layout: model)
            let typed = try Self.decode(row.bytes, model)
            let bytes = Self.encode(typed, model).bytes
            #expect(bytes == row.bytes)
            #expect(try Self.decode(bytes, model) == typed)
        }
    }

    @Test func `a typed model reads and writes rows whose slots are not in declaration order`() throws {
        var generator = SeededGenerator(42)
        var shuffled = SampleSchema.declared
        shuffled.models[0].fields.insert(FieldSchema("dropped", .string), at: 3)
        shuffled.models[0].fields.shuffle(using: &generator)
        shuffled.embeddedTypes[0].fields.reverse()
        let schema = StoredSchema(first: shuffled).adopting(SampleSchema.declared)
        let model = SchemaLayout(schema).models[0]
        #expect(!model.row.isSequential)
        for _ in 0..<200 {
            let record = try generator.record(of: model.schema, in: SampleSchema.declared)
            let row = try EncodedRow(record, layout: model)
            let typed = try Self.decode(row.bytes, model)
            #expect(Self.encode(typed, model).bytes == row.bytes)
        }
    }

    @Test func `each field of a typed model has the same value after encoding and decoding`() throws {
        let model = try SampleSchema.layout()
        var sample = Sample(id: "a\u{0}b")
        sample.title = ""
        sample.whole = .min
        sample.number = .leastNonzeroMagnitude
        sample.flag = false
        sample.color = .green
        sample.day = try Temporal.Date("2026-11-21+02:00")
        sample.clock = try Temporal.Time("10:30:00.250")
        sample.moment = try Temporal.DateTime("2026-11-21T10:30:00.000000001-07:00")
        sample.stamp = Temporal.Timestamp(seconds: -1)
        sample.place = Sample.Place(city: "é", height: -1.5, inside: [Sample.Place(city: "")], near: [nil])
        sample.names = []
        sample.wholes = [nil, .max, nil]
        sample.grid = [[], nil, [1, nil]]
        sample.colors = [.red, .green]
        sample.flags = [true, nil, false]
        let bytes = Self.encode(sample, model).bytes
        let decoded = try Self.decode(bytes, model)
        #expect(decoded == sample)
        #expect(decoded.moment?.text == sample.moment?.text)
        let record = try bytes.withUnsafeBytes { try Record(RowView($0), layout: model) }
        #expect(record["whole"] == .int(.min))
        #expect(record["grid"] == .list([.list([]), nil, .list([1, nil])]))
        #expect(record["numbers"] == nil)
    }

    @Test func `the encoder reports the first value that cannot be stored, with the name of its field`() throws {
        let model = try SampleSchema.layout()
        var sample = Sample(id: "1")
        #expect(Self.encode(sample, model).failure == nil)
        sample.numbers = [1, .nan]
        #expect(Self.encode(sample, model).failure == "Sample.numbers: a Float is not finite")
        sample.place = Sample.Place(city: "x", height: .infinity)
        #expect(Self.encode(sample, model).failure == "Sample.place: Place.height: a Float is not finite")
        sample.number = .nan
        #expect(Self.encode(sample, model).failure == "Sample.number: a Float is not finite")
    }

    @Test func `a required value that is missing is refused when written and damage when read`() throws {
        let model = try SampleSchema.layout()
        let arena = ByteArena()
        var encoder = RowEncoder(arena: arena, layout: model.row)
        for _ in model.row.fields { encoder.encodeMissing() }
        #expect(encoder.finish()?.description == "Sample.id: a required value is missing")
        #expect(throws: RowDamage("the required field id is missing")) {
            try Self.decode(Array(arena[0..<arena.count]), model)
        }
    }

    @Test func `an enum's unknown case is damage, not another case`() throws {
        var wider = SampleSchema.declared
        wider.enums[0].cases.append("blue")
        let layout = SchemaLayout(StoredSchema(first: wider)).models[0]
        let row = try EncodedRow(Record(model: "Sample", values: ["id": "1", "color": "blue"]), layout: layout)
        #expect(throws: RowDamage.self) { try Self.decode(row.bytes, layout) }
    }

    @Test func `embedded values and lists nest as deep as the limit and no deeper`() throws {
        let model = try SampleSchema.layout()
        for (depth, fits) in [(1, true), (31, true), (32, true), (33, false), (40, false)] {
            var sample = Sample(id: "1")
            sample.place = Self.nested(depth) { _ in }
            #expect((Self.encode(sample, model).failure == nil) == fits, "embedded \(depth)")
            #expect(Self.fits(sample.place, model) == fits, "dynamic embedded \(depth)")
            if fits {
                let bytes = Self.encode(sample, model).bytes
                #expect(try Self.decode(bytes, model) == sample)
                _ = try bytes.withUnsafeBytes { try Record(RowView($0), layout: model) }
            }
            sample.place = Self.nested(depth - 1) { $0.near = [] }
            if depth > 1 {
                #expect((Self.encode(sample, model).failure == nil) == fits, "list \(depth)")
                #expect(Self.fits(sample.place, model) == fits, "dynamic list \(depth)")
            }
        }
    }

    @Test func `a row larger than 16 MiB is refused`() throws {
        let model = try SampleSchema.layout()
        var sample = Sample(id: "1")
        sample.title = String(repeating: "x", count: Limits.rowByteCount - 1_000)
        #expect(Self.encode(sample, model).failure == nil)
        sample.title = String(repeating: "x", count: Limits.rowByteCount)
        // The reason names the field that is too large, and not the last field.
        let failure = Self.encode(sample, model).failure
        #expect(failure?.hasPrefix("Sample.title: the row is larger than 16777216 bytes") == true)
    }

    private static func nested(_ depth: Int, _ innermost: (inout Sample.Place) -> Void) -> Sample.Place {
        var place = Sample.Place(city: "innermost")
        innermost(&place)
        for _ in 1..<max(depth, 1) { place = Sample.Place(city: "x", inside: [place]) }
        return place
    }

    private static func fits(_ place: Sample.Place?, _ model: ModelLayout) -> Bool {
        guard let place else { return false }
        let record = Record(model: "Sample", values: ["id": "1", "place": place.fieldValue])
        return (try? EncodedRow(record, layout: model)) != nil
    }

    static func encode(_ sample: Sample, _ model: ModelLayout) -> (bytes: [UInt8], failure: String?) {
        let arena = ByteArena(capacity: 16)
        arena.reserve(3)
        arena.count = 3
        var encoder = RowEncoder(arena: arena, layout: model.row)
        sample.encode(into: &encoder)
        let failure = encoder.finish()?.description
        return (Array(arena[3..<arena.count]), failure)
    }

    @discardableResult
    static func decode(_ bytes: [UInt8], _ model: ModelLayout) throws -> Sample {
        try bytes.withUnsafeBytes { bytes in
            var decoder = RowDecoder(try RowView(bytes), layout: model.row)
            return try Sample(from: &decoder)
        }
    }
}

extension Sample.Place {
    fileprivate var fieldValue: FieldValue {
        var values: [String: FieldValue] = ["city": .string(city)]
        values["height"] = height.map { .double($0) }
        values["inside"] = inside.first?.fieldValue
        values["near"] = near.map { .list($0.map { $0?.fieldValue }) }
        return .embedded(values)
    }
}

import SeededNumbers
import Testing

@_spi(Adapters) @testable import TidelogCore

@Suite struct RowEncoderTests {
    @Test(arguments: [false, true])
    func `a row has the same bytes whatever capacity the arena starts with`(isReordered: Bool) throws {
        let model = try Self.model(isReordered: isReordered)
        let sample = try Self.full(title: 300)
        let expected = Self.encode(sample, model, ByteArena(capacity: 1 << 16), before: 0)
        #expect(try TypedRowTests.decode(expected, model) == sample)
        for capacity in 1...(expected.count + 300) {
            let bytes = Self.encode(sample, model, ByteArena(capacity: capacity), before: capacity % 7)
            #expect(bytes == expected, "\(capacity)")
        }
    }

    @Test(arguments: [false, true])
    func `a row is wide exactly if it is longer than 65,535 bytes, and reads back at every length near that`(
        isReordered: Bool
    ) throws {
        let model = try Self.model(isReordered: isReordered)
        let small = Self.encode(try Self.full(title: 1_000), model, ByteArena(), before: 0).count
        var widths: Set<Bool> = []
        // The rows range from one that is just narrow to one whose title alone is too long for a narrow row.
        for byteCount in (66_525 - small)...65_560 {
            let sample = try Self.full(title: byteCount)
            widths.insert(try Self.expectWidth(of: sample, model, before: 5, "\(byteCount)"))
        }
        #expect(widths.count == 2)
    }

    @Test(
        arguments: [
            "title", "city", "inside", "near", "names", "places", "wholes", "numbers", "grid", "moments", "colors",
            "flags",
        ], [false, true])
    func `a row that grows beyond 65,535 bytes in any text or list becomes wide, and reads back`(
        field: String, isReordered: Bool
    ) throws {
        let model = try Self.model(isReordered: isReordered)
        var sample = try Self.full(title: 10)
        Self.lengthen(field, of: &sample, to: 1_000)
        // If the field grows byte by byte, the row is just narrow or just wide at a count near this one.
        let edge = 66_535 - Self.encode(sample, model, ByteArena(), before: 0).count
        var widths: Set<Bool> = []
        for count in [1_000, 30_000] + Array((edge - 12)...(edge + 12)) + [140_000] {
            Self.lengthen(field, of: &sample, to: count)
            widths.insert(try Self.expectWidth(of: sample, model, before: 3, "\(count)"))
        }
        #expect(widths.count == 2)
    }

    /// Makes `field` about `count` bytes long.
    private static func lengthen(_ field: String, of sample: inout Sample, to count: Int) {
        let text = String(repeating: "x", count: count)
        switch field {
        case "title": sample.title = text
        case "city": sample.place?.city = text
        case "inside": sample.place?.inside = [Sample.Place(city: text)]
        case "near": sample.place?.near = [nil, Sample.Place(city: text)]
        case "names": sample.names = ["", text, "a name"]
        case "places": sample.places = [nil, Sample.Place(city: text)]
        case "wholes": sample.wholes = [Int?](repeating: 7, count: count / 12)
        case "numbers": sample.numbers = [Double?](repeating: 0.25, count: count / 12)
        case "grid": sample.grid = [nil, [Int?](repeating: -1, count: count / 12)]
        case "moments": sample.moments = sample.moment.map { [Temporal.DateTime](repeating: $0, count: count / 50) }
        case "colors": sample.colors = [Sample.Color](repeating: .green, count: count / 9)
        default: sample.flags = [Bool?](repeating: true, count: count / 5)
        }
    }

    @Test func `missing fields are read as missing, in wide rows and in rows with reordered fields`() throws {
        var generator = SeededGenerator(51)
        for isReordered in [false, true] {
            let model = try Self.model(isReordered: isReordered)
            for title in [10, 70_000] {
                for _ in 0..<40 {
                    let sample = try Self.full(title: title).dropping(using: &generator)
                    let bytes = Self.encode(sample, model, ByteArena(capacity: 64), before: 1)
                    #expect(try TypedRowTests.decode(bytes, model) == sample)
                }
            }
        }
    }

    @Test func `rows that are written one after another to an arena do not change each other`() throws {
        let model = try Self.model(isReordered: false)
        let arena = ByteArena(capacity: 8)
        var ranges: [(Range<Int>, Sample)] = []
        for title in [0, 5, 70_000, 16, 300, 65_000] {
            let sample = try Self.full(title: title)
            let start = arena.count
            var encoder = RowEncoder(arena: arena, layout: model.row)
            sample.encode(into: &encoder)
            #expect(encoder.finish() == nil)
            ranges.append((start..<arena.count, sample))
        }
        for (range, sample) in ranges { #expect(try TypedRowTests.decode(Array(arena[range]), model) == sample) }
    }

    @Test func `a model that writes more or fewer fields than it has ends the process`() async {
        await #expect(processExitsWith: .failure) { try RowEncoderTests.write(fieldCount: 1) }
        await #expect(processExitsWith: .failure) { try RowEncoderTests.write(fieldCount: 3) }
        await #expect(processExitsWith: .success) { try RowEncoderTests.write(fieldCount: 2) }
    }

    @Test func `a model that reads more fields than it has ends the process`() async {
        await #expect(processExitsWith: .failure) { try RowEncoderTests.read(fieldCount: 3) }
        await #expect(processExitsWith: .success) { try RowEncoderTests.read(fieldCount: 2) }
    }

    private static func write(fieldCount: Int) throws {
        let model = WideRowTests.model(fieldCount: 2, isReordered: false)
        let arena = ByteArena()
        var encoder = RowEncoder(arena: arena, layout: model.row)
        for _ in 0..<fieldCount { encoder.encode("text") }
        _ = encoder.finish()
    }

    private static func read(fieldCount: Int) throws {
        let model = WideRowTests.model(fieldCount: 2, isReordered: false)
        let row = try EncodedRow(Record(model: "Wide", values: ["f0": "a", "f1": "b"]), layout: model)
        try row.withRow { _, view in
            var decoder = RowDecoder(view, layout: model.row)
            for _ in 0..<fieldCount { _ = try decoder.decodeIfPresent(String.self) }
        }
    }

    /// Expects that the row of `sample` is wide exactly if it is long, and that it reads back. Returns whether it is wide.
    private static func expectWidth(
        of sample: Sample, _ model: ModelLayout, before: Int, _ note: Comment
    ) throws -> Bool {
        let bytes = encode(sample, model, ByteArena(), before: before)
        let isWide = bytes[0] & RowView.wideFlag != 0
        #expect(isWide == (bytes.count > 65_535), note)
        #expect(try TypedRowTests.decode(bytes, model) == sample, note)
        return isWide
    }

    private static func encode(_ sample: Sample, _ model: ModelLayout, _ arena: ByteArena, before: Int) -> [UInt8] {
        arena.reserve(before)
        arena.count = before
        var encoder = RowEncoder(arena: arena, layout: model.row)
        sample.encode(into: &encoder)
        #expect(encoder.finish() == nil)
        return Array(arena[before..<arena.count])
    }

    private static func model(isReordered: Bool) throws -> ModelLayout {
        guard isReordered else { return try SampleSchema.layout() }
        var other = SampleSchema.declared
        other.models[0].fields.insert(FieldSchema("dropped", .string), at: 3)
        other.models[0].fields.reverse()
        other.embeddedTypes[0].fields.reverse()
        return SchemaLayout(StoredSchema(first: other).adopting(SampleSchema.declared)).models[0]
    }

    /// A sample that has a value in every field, and a title of `title` bytes.
    private static func full(title: Int) throws -> Sample {
        var sample = Sample(id: "an id that is no small text")
        sample.title = String(repeating: "t", count: title)
        sample.whole = -7
        sample.number = 1.5
        sample.flag = true
        sample.color = .green
        sample.day = try Temporal.Date("2026-11-21+02:00")
        sample.clock = try Temporal.Time("10:30:00.250")
        sample.moment = try Temporal.DateTime("2026-11-21T10:30:00.000000001-07:00")
        sample.stamp = Temporal.Timestamp(seconds: 3)
        sample.place = Sample.Place(city: "Zürich", height: 408, inside: [Sample.Place(city: "")], near: [nil])
        sample.names = ["", "a name", String(repeating: "n", count: 80)]
        sample.wholes = [nil, .max]
        sample.numbers = [0.25, nil]
        sample.places = [Sample.Place(city: "x"), nil]
        sample.grid = [[], nil, [1, nil]]
        sample.moments = sample.moment.map { [$0] }
        sample.colors = [.red, .green]
        sample.flags = [true, nil, false]
        return sample
    }
}

extension Sample {
    /// The sample without some of its values, which `generator` chooses.
    fileprivate func dropping(using generator: inout SeededGenerator) -> Sample {
        var sample = self
        if generator.once(in: 3) { sample.whole = nil }
        if generator.once(in: 3) { sample.number = nil }
        if generator.once(in: 3) { sample.flag = nil }
        if generator.once(in: 3) { sample.color = nil }
        if generator.once(in: 3) { sample.moment = nil }
        if generator.once(in: 3) { sample.place = nil }
        if generator.once(in: 3) { sample.names = nil }
        if generator.once(in: 3) { sample.grid = nil }
        if generator.once(in: 3) { sample.flags = nil }
        return sample
    }
}

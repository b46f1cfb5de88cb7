import SeededNumbers
import Testing

@_spi(Adapters) @testable import TidelogCore

@Suite struct DamagedRowTests {
    @Test func `random bytes are read as a row or refused as damage, and never cause a trap`() throws {
        var generator = SeededGenerator(31)
        let model = try SampleSchema.layout()
        var viewCount = 0
        for _ in 0..<6_000 {
            var bytes = generator.bytes(generator.below(120))
            if bytes.count > 4, !generator.once(in: 8) {
                bytes[0] = generator.once(in: 4) ? 0x81 : 0x01
                bytes[1] = 0
                bytes[2] = UInt8(generator.below(24))
                bytes[3] = 0
            }
            if Self.readEverything(bytes, model) { viewCount += 1 }
        }
        #expect(viewCount > 1_000)
    }

    @Test func `rows with flipped bits, cut or extended, are read or refused as damage, without a trap`() throws {
        var generator = SeededGenerator(32)
        var viewCount = 0
        for round in 0..<40 {
            let declared = round % 4 == 0 ? SampleSchema.declared : try generator.schema()
            let layout = SchemaLayout(StoredSchema(first: declared))
            let model = generator.pick(layout.models)
            let bytes = try EncodedRow(try generator.record(of: model.schema, in: declared), layout: model).bytes
            for _ in 0..<60 {
                var damaged = bytes
                for _ in 0...generator.below(4) { damaged[generator.below(bytes.count)] ^= 1 << generator.below(8) }
                if generator.once(in: 4) { damaged.removeLast(generator.below(damaged.count)) }
                if generator.once(in: 8) { damaged += generator.bytes(3) }
                if Self.readEverything(damaged, model) { viewCount += 1 }
            }
        }
        #expect(viewCount > 500)
    }

    @Test func `the sample's row with any one byte changed is read or refused as damage, without a trap`() throws {
        var generator = SeededGenerator(33)
        let model = try SampleSchema.layout()
        let record = try generator.record(of: model.schema, in: SampleSchema.declared)
        let bytes = try EncodedRow(record, layout: model).bytes
        var viewCount = 0
        for offset in bytes.indices {
            for value: UInt8 in [0, 0xFF, bytes[offset] &+ 1] {
                var damaged = bytes
                damaged[offset] = value
                if Self.readEverything(damaged, model) { viewCount += 1 }
            }
        }
        #expect(viewCount > bytes.count)
    }

    @Test func `a row of an unknown format or flag is refused`() throws {
        let bytes = try EncodedRow(SampleSchema.record, layout: SampleSchema.layout()).bytes
        for (offset, value) in [(0, 0x02), (0, 0x11), (0, 0x41), (0, 0x00), (1, 0x01)] {
            var changed = bytes
            changed[offset] = UInt8(value)
            #expect(throws: RowDamage.self) { try changed.withUnsafeBytes { _ = try RowView($0) } }
        }
        _ = try bytes.withUnsafeBytes { try RowView($0).slotCount }
    }

    @Test func `the error of a damaged row names the kind of damage`() throws {
        #expect(throws: RowDamage("too short")) { try Self.view([]) { _ in } }
        #expect(throws: RowDamage("too short")) { try Self.view([1, 0, 0]) { _ in } }
        #expect(throws: RowDamage("table beyond end")) { try Self.view([1, 0, 1, 0, 1, 8]) { _ in } }
        #expect(throws: RowDamage("value beyond end")) { try Self.view([1, 0, 1, 0, 1, 8, 0]) { _ = try $0.value(0) } }
        #expect(throws: RowDamage("value beyond end")) { try Self.view([1, 0, 1, 0, 1, 6, 0]) { _ = try $0.value(0) } }
        #expect(throws: RowDamage("a text is not UTF-8")) { try Self.value([0xC0]) { _ = try $0.string(0) } }
        #expect(throws: RowDamage("an Int is not 8 bytes")) { try Self.value([1, 2]) { _ = try $0.int(0) } }
        #expect(throws: RowDamage("a Boolean is not 0 or 1")) { try Self.value([2]) { _ = try $0.bool(0) } }
        #expect(throws: RowDamage("a temporal is cut")) { try Self.value([2]) { _ = try $0.temporal(0) } }
        #expect(throws: RowDamage("nanoseconds out of range")) {
            try Self.value([0, 0, 0, 0, 0, 0, 0, 0, 0, 0xCA, 0x9A, 0x3B]) { _ = try $0.temporal(0) }
        }
        #expect(throws: RowDamage("a Float is not finite")) {
            try Self.value([0, 0, 0, 0, 0, 0, 0xF0, 0x7F]) { _ = try $0.double(0) }
        }
    }

    @Test func `values that nest deeper than the encoder allows are refused as damage`() throws {
        let model = try SampleSchema.layout()
        let slot = try #require(model.row.field(named: "place")?.slot)
        let inside = try #require(model.row.field(named: "place")?.embedded?.field(named: "inside")?.slot)
        let bytes = Self.nestedRows([slot] + Array(repeating: inside, count: 60_000))
        #expect(throws: RowDamage.self) { try Self.view(bytes) { _ = try Record($0, layout: model) } }
        #expect(throws: RowDamage.self) {
            try Self.view(bytes) {
                var decoder = RowDecoder($0, layout: model.row)
                for _ in 0..<slot { _ = try decoder.decodeIfPresent(String.self) }
                _ = try decoder.decodeEmbeddedIfPresent(Self.countNesting)
            }
        }
    }

    private static func countNesting(_ decoder: inout RowDecoder) throws(RowDamage) -> Int {
        _ = try decoder.decodeIfPresent(String.self)
        _ = try decoder.decodeIfPresent(Double.self)
        return 1 + (try decoder.decodeEmbeddedIfPresent(countNesting) ?? 0)
    }

    /// Wide rows that are nested in each other. Each row has one value, at the slot that `slots` gives, and the last
    /// value is empty.
    private static func nestedRows(_ slots: [Int]) -> [UInt8] {
        let header = { (slot: Int) in 4 + (slot + 8) / 8 + 4 * (slot + 1) }
        var remaining = slots.reduce(0) { $0 + header($1) }
        var bytes: [UInt8] = []
        for slot in slots {
            bytes += [0x81, 0, UInt8(slot + 1), 0]
            bytes += (0...(slot / 8)).map { $0 == slot / 8 ? 1 << UInt8(slot % 8) : 0 }
            for index in 0...slot {
                let end = UInt32(index == slot ? remaining : header(slot))
                bytes += (0..<4).map { UInt8(truncatingIfNeeded: end >> (8 * $0)) }
            }
            remaining -= header(slot)
        }
        return bytes
    }

    private static func view(_ bytes: [UInt8], _ body: (RowView) throws -> Void) throws {
        try bytes.withUnsafeBytes { try body(RowView($0)) }
    }

    private static func value(_ value: [UInt8], _ body: (RowView) throws -> Void) throws {
        try view([1, 0, 1, 0, 1, UInt8(7 + value.count), 0] + value, body)
    }

    /// Reads a row in every way, and a row of the sample also as its typed model. A read may throw, but it must not end
    /// the process. Returns whether the bytes have the head of a row, so that its values were read.
    private static func readEverything(_ bytes: [UInt8], _ model: ModelLayout) -> Bool {
        if model.name == Sample.schema.name { _ = try? TypedRowTests.decode(bytes, model) }
        return bytes.withUnsafeBytes { bytes in
            guard let row = try? RowView(bytes) else { return false }
            _ = try? Record(row, layout: model)
            _ = try? model.recordID(of: row)
            for slot in 0..<(row.slotCount + 2) {
                _ = try? row.value(slot)
                _ = try? row.int(slot)
                _ = try? row.double(slot)
                _ = try? row.bool(slot)
                _ = try? row.string(slot)
                _ = try? row.temporal(slot)
                if let value = try? row.value(slot) { readList(value, depth: 0) }
            }
            withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
                for field in model.row.fields where field.type.isOrdered {
                    var encoder = KeyEncoder(buffer)
                    try? encoder.appendComponent(of: row, field: field)
                }
                var encoder = KeyEncoder(buffer)
                try? encoder.appendPrimaryKey(of: row, layout: model)
            }
            return true
        }
    }

    private static func readList(_ bytes: UnsafeRawBufferPointer, depth: Int) {
        guard depth < 3, var list = try? ListDecoder(bytes) else { return }
        for _ in 0..<min(list.count + 1, 50) {
            var copy = list
            if let bytes = try? copy.nextBytes() { readList(bytes, depth: depth + 1) }
            copy = list
            _ = try? copy.next(Int.self)
            copy = list
            _ = try? copy.next(Double.self)
            copy = list
            _ = try? copy.next(Bool.self)
            copy = list
            _ = try? copy.next(Temporal.DateTime.self)
            if (try? list.next(String.self)) == nil { return }
        }
    }
}

import SeededNumbers
import Testing

@_spi(Adapters) @testable import TidelogCore

@Suite struct KeyOrderTests {
    @Test(arguments: SeededGenerator.orderedTypes + [.enumeration("Color")])
    func `keys of one type sort as their values do, and are equal only if the values are`(type: FieldType) throws {
        var generator = SeededGenerator(51)
        var values: [FieldValue] = try (0..<400).map { _ in try generator.value(of: type, in: SampleSchema.declared) }
        values += values.prefix(10)
        let keys = values.map { Self.key([$0]) }
        for left in values.indices {
            for right in values.indices {
                let expected = referenceOrder(values[left], values[right])
                guard Self.order(keys[left], keys[right]) != expected else { continue }
                Issue.record("\(values[left].exact) and \(values[right].exact): expected \(expected)")
                return
            }
        }
    }

    @Test func `the key of a missing value sorts before the key of any value`() throws {
        var generator = SeededGenerator(52)
        for type in SeededGenerator.orderedTypes {
            for _ in 0..<20 {
                let value = try generator.value(of: type, in: SampleSchema.declared)
                #expect(Self.order(Self.key([nil]), Self.key([value])) == -1)
            }
        }
    }

    @Test func `keys of several components sort by the first component that differs`() throws {
        var generator = SeededGenerator(53)
        for _ in 0..<3_000 {
            let types = (0...generator.below(3)).map { _ in generator.pick(SeededGenerator.orderedTypes) }
            let make = { (generator: inout SeededGenerator) in
                try types.map { type in
                    generator.once(in: 6) ? nil : try generator.value(of: type, in: SampleSchema.declared)
                }
            }
            let left = try make(&generator)
            var right = try make(&generator)
            for index in 0..<generator.below(types.count + 1) { right[index] = left[index] }
            var expected = 0
            for (left, right) in zip(left, right) where expected == 0 {
                expected =
                    switch (left, right) {
                    case (nil, nil): 0
                    case (nil, _): -1
                    case (_, nil): 1
                    case (let left?, let right?): referenceOrder(left, right)
                    }
            }
            #expect(Self.order(Self.key(left), Self.key(right)) == expected)
        }
    }

    @Test func `the unterminated key of a prefix begins exactly the keys of texts with that prefix`() throws {
        var generator = SeededGenerator(54)
        for _ in 0..<5_000 {
            var (prefix, text) = (generator.text(upTo: 2), generator.text())
            if generator.once(in: 2) { text = prefix + text }
            let key = Self.key([.string(text)])
            let begins = key.starts(
                with: Self.encode { encoder in
                    prefix.withUTF8 { encoder.appendUnterminated(text: UnsafeRawBufferPointer($0)) }
                })
            // A prefix that ends in U+0000 ends with the escape of U+0000. Nothing else begins with this escape.
            #expect(begins == text.utf8.starts(with: prefix.utf8))
        }
    }

    @Test func `no component begins with the byte FF, so that a cut key can be recognised`() throws {
        var generator = SeededGenerator(55)
        for _ in 0..<2_000 {
            let type = generator.pick(SeededGenerator.orderedTypes)
            let key = Self.key([try generator.value(of: type, in: SampleSchema.declared)])
            #expect(key[0] != 0xFF)
        }
        #expect(Self.key([nil]) == [0x01])
    }

    @Test func `keys are the bytes that FORMATS describes`() throws {
        #expect(Self.key(["a\u{0}é"]) == [0x12, 0x61, 0x00, 0xFF, 0xC3, 0xA9, 0x00])
        #expect(Self.key([1]) == [0x20, 0x80, 0, 0, 0, 0, 0, 0, 1])
        #expect(Self.key([-1]) == [0x20, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
        #expect(Self.key([1.0]) == [0x28, 0xBF, 0xF0, 0, 0, 0, 0, 0, 0])
        #expect(Self.key([-1.0]) == [0x28, 0x40, 0x0F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
        #expect(Self.key([-0.0]) == Self.key([0.0]))
        #expect(Self.key([false, true]) == [0x30, 0x31])
        let moment = try Temporal.DateTime("1970-01-01T00:00:01.000000002Z")
        #expect(Self.key([.dateTime(moment)]) == [0x40, 0x80, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2])
    }

    @Test func `an encoder with too little memory keeps the bytes that fit and counts all bytes`() throws {
        var generator = SeededGenerator(56)
        for _ in 0..<300 {
            let values = try (0...generator.below(4)).map { _ in
                try generator.value(of: generator.pick(SeededGenerator.orderedTypes), in: SampleSchema.declared)
            }
            let whole = Self.key(values)
            for capacity in 0...(whole.count + 2) {
                withUnsafeTemporaryAllocation(byteCount: capacity + 8, alignment: 1) { memory in
                    memory.initializeMemory(as: UInt8.self, repeating: 0xEE)
                    var encoder = KeyEncoder(UnsafeMutableRawBufferPointer(rebasing: memory[..<capacity]))
                    for value in values { encoder.appendComponent(value) }
                    #expect(encoder.byteCount == whole.count)
                    #expect(encoder.isOverflowing == (whole.count > capacity))
                    #expect(encoder.bytes.elementsEqual(whole.prefix(capacity)))
                    #expect(memory[capacity...].allSatisfy { $0 == 0xEE })
                }
            }
        }
    }

    @Test func `a key component made from a row equals the component made from the field's value`() throws {
        var generator = SeededGenerator(57)
        let model = try SampleSchema.layout()
        for _ in 0..<100 {
            let record = try generator.record(of: model.schema, in: SampleSchema.declared)
            try EncodedRow(record, layout: model).withRow { _, row in
                for field in model.row.fields where field.type.isOrdered {
                    var fromRow: [UInt8] = []
                    try withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { memory in
                        var encoder = KeyEncoder(memory)
                        try encoder.appendComponent(of: row, field: field)
                        fromRow = Array(encoder.bytes)
                    }
                    #expect(fromRow == Self.key([record[field.name]]))
                }
            }
        }
    }

    static func encode(_ body: (inout KeyEncoder) -> Void) -> [UInt8] {
        withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { memory in
            var encoder = KeyEncoder(memory)
            body(&encoder)
            return Array(encoder.bytes)
        }
    }

    static func key(_ values: [FieldValue?]) -> [UInt8] {
        encode { encoder in for value in values { encoder.appendComponent(value) } }
    }

    static func order(_ left: [UInt8], _ right: [UInt8]) -> Int {
        left.lexicographicallyPrecedes(right) ? -1 : (left == right ? 0 : 1)
    }
}

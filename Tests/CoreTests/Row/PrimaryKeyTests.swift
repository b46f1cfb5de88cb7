import SeededNumbers
import Testing

@_spi(Adapters) @testable import TidelogCore

@Suite struct PrimaryKeyTests {
    static let lower = "0f8fad5b-d9cb-469f-a165-70867728950e"

    @Test func `a UUID in only lower or only upper case takes 17 bytes, and any other text is kept as text`() throws {
        let compact: [(String, UInt8)] = [
            (Self.lower, 0x10), (Self.lower.uppercased(), 0x11), ("01234567-0123-0123-0123-012345678901", 0x10),
            ("00000000-0000-0000-0000-00000000000A", 0x11), ("ffffffff-ffff-ffff-ffff-ffffffffffff", 0x10),
        ]
        for (text, tag) in compact {
            let key = Self.key(text)
            let digits = text.filter { $0 != "-" }
            #expect(key.count == 17 && key[0] == tag)
            #expect(Self.hexadecimal(key.dropFirst()) == digits.lowercased())
        }
        let texts = [
            "", "a", "0F8fad5b-d9cb-469f-a165-70867728950e", Self.lower + "0", String(Self.lower.dropLast()),
            "0f8fad5bd-9cb-469f-a165-70867728950e", "0f8fad5b-d9cb-469f-a165-7086772895-e",
            "0g8fad5b-d9cb-469f-a165-70867728950e", "0f8fad5b+d9cb-469f-a165-70867728950e",
            "0f8fad5b-d9cb-469f-a165-70867728950\u{0}", "0f8fad5b-d9cb-469f-a165-7086772895é",
        ]
        for text in texts { #expect(Self.key(text)[0] == 0x12, "\(text)") }
    }

    @Test func `different ids have different keys`() throws {
        var generator = SeededGenerator(61)
        var texts = Set<[UInt8]>()
        var keys = Set<[UInt8]>()
        for _ in 0..<5_000 {
            var text = generator.uuid()
            if generator.once(in: 2) {
                var bytes = Array(text.utf8)
                bytes[generator.below(36)] = UInt8(32 + generator.below(95))
                text = String(decoding: bytes, as: UTF8.self)
            }
            texts.insert(Array(text.utf8))
            keys.insert(Self.key(text))
        }
        #expect(texts.count == keys.count)
    }

    @Test func `a row's key is the key of its id, in every schema`() throws {
        var generator = SeededGenerator(62)
        for _ in 0..<150 {
            let declared = try generator.schema()
            for model in SchemaLayout(StoredSchema(first: declared)).models {
                let record = try generator.record(of: model.schema, in: declared)
                let row = try EncodedRow(record, layout: model)
                let id = RecordID(model.schema.primaryKey.compactMap { record[$0] })
                #expect(try model.withKey(of: id) { Array($0) } == row.key)
                #expect(try row.withRow { try model.recordID(of: $1) } == id)
            }
        }
    }

    @Test func `a key of 255 bytes is made from a row and from an id, and one of 256 bytes is refused`() throws {
        let model = try SampleSchema.layout()
        for (count, fits) in [(253, true), (254, false), (1_000, false)] {
            let text = String(repeating: "x", count: count)
            let record = Record(model: "Sample", values: ["id": .string(text)])
            if fits {
                #expect(try EncodedRow(record, layout: model).key.count == 255)
                #expect(try model.withKey(of: RecordID(text)) { $0.count } == 255)
            } else {
                #expect(Self.code { _ = try EncodedRow(record, layout: model) } == .invalidValue)
                #expect(Self.code { try model.withKey(of: RecordID(text)) { _ in } } == .invalidValue)
            }
        }
        let zeros = String(repeating: "\u{0}", count: 127)
        #expect(Self.code { try model.withKey(of: RecordID(zeros)) { _ in } } == .invalidValue)
    }

    @Test func `a UUID that does not fit after the other components of a key is refused, not cut`() throws {
        let fields = [
            FieldSchema("name", .string, isRequired: true), FieldSchema("id", .id, isRequired: true),
        ]
        let declared = Schema(models: [ModelSchema(name: "M", fields: fields, primaryKey: ["name", "id"])])
        let model = SchemaLayout(StoredSchema(first: declared)).models[0]
        for (count, fits) in [(236, true), (237, false), (238, false), (253, false)] {
            let id: RecordID = [.string(String(repeating: "x", count: count)), .string(Self.lower)]
            #expect((Self.code { try model.withKey(of: id) { _ in } } == nil) == fits)
        }
    }

    @Test func `an id that does not fit the model is refused`() throws {
        let model = try SampleSchema.layout()
        #expect(Self.code { try model.withKey(of: []) { _ in } } == .invalidValue)
        #expect(Self.code { try model.withKey(of: ["a", "b"]) { _ in } } == .invalidValue)
        #expect(Self.code { try model.withKey(of: [1]) { _ in } } == .invalidValue)
    }

    private static func key(_ text: String) -> [UInt8] {
        var text = text
        return KeyOrderTests.encode { encoder in text.withUTF8 { encoder.append(id: UnsafeRawBufferPointer($0)) } }
    }

    private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func code(_ body: () throws -> Void) -> DataStoreError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? DataStoreError)?.code
        }
    }
}

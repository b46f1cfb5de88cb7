import SeededNumbers
import Testing

@_spi(Adapters) @testable import TidelogCore

@Suite struct SchemaCodingTests {
    @Test func `a schema is the same after encoding and decoding, through any number of changes`() throws {
        var generator = SeededGenerator(1)
        for _ in 0..<300 {
            let declared = try generator.schema()
            try declared.validate()
            var schema = StoredSchema(first: declared)
            for _ in 0..<generator.below(3) { schema = schema.adopting(generator.revised(schema.declared)) }
            let bytes = SchemaCoding.encode(schema)
            let decoded = try bytes.withUnsafeBytes { try SchemaCoding.decode($0) }
            #expect(decoded == schema)
            #expect(SchemaCoding.encode(decoded) == bytes)
        }
    }

    @Test func `a default value of each type is exactly the same after encoding and decoding`() throws {
        let defaults: [(type: FieldType, value: FieldValue)] = [
            (.id, .string("a\u{0}b")), (.string, .string("e\u{301}")), (.int, .int(.min)), (.double, .double(0.1)),
            (.bool, .bool(false)), (.enumeration("Color"), .string("green")),
            (.date, .date(try Temporal.Date("2026-11-21+02:00"))),
            (.time, .time(try Temporal.Time("10:30:00.250"))),
            (.dateTime, .dateTime(try Temporal.DateTime("2026-11-21T10:30:00.000000001-07:00"))),
            (.timestamp, .int(-1)),
            (.embedded("Place"), .embedded(["city": .string("é"), "near": .list([nil])])),
            (.list(.string, elementIsRequired: false), .list([.string("a"), nil])),
            (.list(.list(.int, elementIsRequired: true), elementIsRequired: true), .list([.list([.int(1)])])),
        ]
        var declared = SampleSchema.declared
        declared.models[0].fields = [FieldSchema("id", .id, isRequired: true)]
        declared.models[0].fields += defaults.enumerated().map { number, item in
            FieldSchema("f\(number)", item.type, defaultValue: item.value)
        }
        declared.models[0].indexes = []
        try declared.validate()
        let bytes = SchemaCoding.encode(StoredSchema(first: declared))
        let fields = try bytes.withUnsafeBytes { try SchemaCoding.decode($0) }.declared.models[0].fields.dropFirst()
        #expect(fields.count == defaults.count)
        for (field, item) in zip(fields, defaults) {
            #expect(field.type == item.type)
            #expect(field.defaultValue?.exact == item.value.exact, "\(field.name)")
        }
    }

    @Test func `a schema's bytes are damaged if they are cut anywhere or if another byte follows them`() throws {
        var generator = SeededGenerator(2)
        for _ in 0..<5 {
            let bytes = SchemaCoding.encode(StoredSchema(first: try generator.schema()))
            for count in bytes.indices { #expect(code(of: Array(bytes[..<count])) == .damaged) }
            #expect(code(of: bytes + [0]) == .damaged)
        }
    }

    @Test func `a schema with flipped bits decodes to a valid schema or throws, and never traps`() throws {
        var generator = SeededGenerator(3)
        for _ in 0..<40 {
            let bytes = SchemaCoding.encode(StoredSchema(first: try generator.schema()))
            for _ in 0..<200 {
                var flipped = bytes
                for _ in 0...generator.below(3) {
                    flipped[4 + generator.below(bytes.count - 4)] ^= 1 << generator.below(8)
                }
                do {
                    let schema = try flipped.withUnsafeBytes { try SchemaCoding.decode($0) }
                    try schema.declared.validate()
                    _ = SchemaLayout(schema)
                    _ = schema.adopting(generator.revised(schema.declared))
                } catch let error as DataStoreError {
                    #expect(error.code == .damaged)
                }
            }
        }
    }

    @Test func `a schema of format 1 is read, and its relations have no directives and no description`() throws {
        var declared = Schema(
            models: [
                ModelSchema(
                    name: "A", fields: [FieldSchema("id", .id, isRequired: true)],
                    associations: [Association(name: "link", kind: .belongsTo, target: "A")])
            ])
        var bytes = SchemaCoding.encode(StoredSchema(first: declared))
        let name = try #require(bytes.indices.first { bytes[$0...].starts(with: "link".utf8) })
        // After the name come the kind, the target, an empty list of fields, and three bytes: no index, not required and
        // no limit. The next five bytes are new in format 2.
        let end = name + 4 + 1 + 5 + 4 + 1 + 1 + 1
        #expect(Array(bytes[end..<(end + 5)]) == [0, 0, 0, 0, 0])
        bytes.removeSubrange(end..<(end + 5))
        // Format 1 has no migrations either. In format 2, they are the last part.
        bytes.removeLast(4)
        bytes[0] = 1
        #expect(try bytes.withUnsafeBytes { try SchemaCoding.decode($0) }.declared == declared)
        declared.models[0].associations[0].directives = ["@auth(rules: [])"]
        #expect(SchemaCoding.encode(StoredSchema(first: declared))[0] == 2)
    }

    @Test func `a newer format is reported as newer, not as damage`() throws {
        var bytes = SchemaCoding.encode(StoredSchema(first: try SeededGenerator.someSchema()))
        bytes[0] = 3
        #expect(code(of: bytes) == .newerFormat)
        bytes[0] = 0
        #expect(code(of: bytes) == .damaged)
    }

    @Test func `a schema that decodes but is not valid is damaged`() throws {
        var declared = try SeededGenerator.someSchema()
        declared.models[0].primaryKey = ["nothing"]
        #expect(code(of: SchemaCoding.encode(StoredSchema(first: declared))) == .damaged)
    }

    @Test func `a schema without a number for a declared model or field, or without a version, is damaged`() throws {
        let declared = try SeededGenerator.someSchema()
        var schema = StoredSchema(first: declared)
        schema.modelNumbers[declared.models[0].name] = nil
        #expect(code(of: SchemaCoding.encode(schema)) == .damaged)
        schema = StoredSchema(first: declared)
        schema.fieldNumbers[declared.models[0].name]?[declared.models[0].fields[0].name] = nil
        #expect(code(of: SchemaCoding.encode(schema)) == .damaged)
        schema = StoredSchema(first: declared)
        schema.version = 0
        #expect(code(of: SchemaCoding.encode(schema)) == .damaged)
    }

    @Test func `a schema in which two fields have the same number is damaged`() throws {
        let declared = Schema(
            models: [
                ModelSchema(
                    name: "M", fields: [FieldSchema("id", .id, isRequired: true), FieldSchema("other", .int)])
            ])
        var schema = StoredSchema(first: declared)
        schema.fieldNumbers["M"] = ["id": 1, "other": 1]
        #expect(code(of: SchemaCoding.encode(schema)) == .damaged)
    }

    private func code(of bytes: [UInt8]) -> DataStoreError.Code? {
        do {
            _ = try bytes.withUnsafeBytes { try SchemaCoding.decode($0) }
            return nil
        } catch {
            return (error as? DataStoreError)?.code
        }
    }
}

extension SeededGenerator {
    static func someSchema() throws -> Schema {
        var generator = SeededGenerator(7)
        return try generator.schema()
    }
}

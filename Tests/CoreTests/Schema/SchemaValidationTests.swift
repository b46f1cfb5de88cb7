import SeededNumbers
import Testing

@_spi(Adapters) @testable import TidelogCore

@Suite struct SchemaValidationTests {
    static let valid = SampleSchema.declared

    struct Flaw: Sendable, CustomTestStringConvertible {
        let says: String
        let make: @Sendable (inout Schema) -> Void
        var testDescription: String { says }
    }

    static func field(_ type: FieldType, default value: FieldValue? = nil) -> FieldSchema {
        FieldSchema("added", type, defaultValue: value)
    }

    static let flaws: [Flaw] = [
        Flaw(says: "no model") { $0.models = [] },
        Flaw(says: "type Sample is declared twice") { $0.models.append($0.models[0]) },
        Flaw(says: "type Sample is declared twice") { $0.enums.append(EnumSchema(name: "Sample", cases: ["a"])) },
        Flaw(says: "name of a type") { $0.models[0].name = "" },
        Flaw(says: "name of a type") { $0.models[0].name = "1a" },
        Flaw(says: "name of a type") { $0.models[0].name = "é" },
        Flaw(says: "name of a type") { $0.models[0].name = String(repeating: "x", count: 129) },
        Flaw(says: "name of a field") { $0.models[0].fields[1].name = "a-b" },
        Flaw(says: "name of a field") { $0.models[0].fields[1].name = "a@b" },
        Flaw(says: "field Sample.id is declared twice") { $0.models[0].fields[1].name = "id" },
        Flaw(says: "Sample has no field") { $0.models[0].fields = [] },
        Flaw(says: "Place has no field") { $0.embeddedTypes[0].fields = [] },
        Flaw(says: "more than 1000 fields") { schema in
            schema.models[0].fields += (0..<1_000).map { FieldSchema("f\($0)", .int) }
        },
        Flaw(says: "more than 1000 models") { schema in
            schema.models += (0..<999).map { ModelSchema(name: "M\($0)", fields: schema.models[0].fields) }
        },
        Flaw(says: "no primary key") { $0.models[0].primaryKey = [] },
        Flaw(says: "names a field twice") { $0.models[0].primaryKey = ["id", "id"] },
        Flaw(says: "which is no field") { $0.models[0].primaryKey = ["nothing"] },
        Flaw(says: "key field Sample.title") { $0.models[0].primaryKey = ["title"] },
        Flaw(says: "key field Sample.added") { schema in
            schema.models[0].fields.append(FieldSchema("added", .embedded("Place"), isRequired: true))
            schema.models[0].primaryKey = ["added"]
        },
        Flaw(says: "names an index twice") { $0.models[0].indexes.append($0.models[0].indexes[0]) },
        Flaw(says: "name of a index") { $0.models[0].indexes[0].name = "" },
        Flaw(says: "index byTitle has no field") { $0.models[0].indexes[0].fields = [] },
        Flaw(says: "no ordered field") { $0.models[0].indexes[0].fields = ["nothing"] },
        Flaw(says: "no ordered field") { $0.models[0].indexes[0].fields = ["names"] },
        Flaw(says: "no enum of the schema") { $0.models[0].fields.append(field(.enumeration("Place"))) },
        Flaw(says: "no embedded type") { $0.models[0].fields.append(field(.embedded("Sample"))) },
        Flaw(says: "no embedded type") {
            $0.embeddedTypes[0].fields.append(field(.list(.embedded("Nothing"), elementIsRequired: true)))
        },
        Flaw(says: "nests too deep") { schema in
            var type = FieldType.int
            for _ in 0..<32 { type = .list(type, elementIsRequired: true) }
            schema.models[0].fields.append(field(type))
        },
        Flaw(says: "enum Color has no case") { $0.enums[0].cases = [] },
        Flaw(says: "names a case twice") { $0.enums[0].cases = ["a", "a"] },
        Flaw(says: "name of a enum case") { $0.enums[0].cases = ["a b"] },
        Flaw(says: "default value") { $0.models[0].fields.append(field(.int, default: "1")) },
        Flaw(says: "default value") { $0.models[0].fields.append(field(.int, default: 1.0)) },
        Flaw(says: "default value") { $0.models[0].fields.append(field(.double, default: .double(.nan))) },
        Flaw(says: "default value") { $0.models[0].fields.append(field(.enumeration("Color"), default: "pink")) },
        Flaw(says: "default value") { $0.models[0].fields.append(field(.date, default: "tomorrow")) },
        Flaw(says: "default value") {
            $0.models[0].fields.append(field(.list(.int, elementIsRequired: true), default: .list([nil])))
        },
        Flaw(says: "default value") { $0.models[0].fields.append(field(.embedded("Place"), default: .embedded([:]))) },
        Flaw(says: "default value") {
            $0.models[0].fields.append(field(.embedded("Place"), default: .embedded(["city": "x", "nothing": 1])))
        },
    ]

    @Test(arguments: flaws)
    func `a schema with a flaw is refused, and the error names the flaw`(flaw: Flaw) {
        var schema = Self.valid
        flaw.make(&schema)
        let error = #expect(throws: DataStoreError.self) { try schema.validate() }
        #expect(error?.code == .invalidSchema)
        #expect(error?.message.contains(flaw.says) == true, "\(error?.message ?? "")")
    }

    @Test func `schemas at the limits and randomly generated schemas are valid`() throws {
        var schema = Self.valid
        schema.models[0].name = String(repeating: "x", count: 128)
        schema.models[0].fields += (0..<(1_000 - schema.models[0].fields.count)).map { FieldSchema("_\($0)", .int) }
        schema.models[0].fields[1].defaultValue = ""
        schema.models[0].fields[6].defaultValue = "2026-11-21"
        try schema.validate()
        var generator = SeededGenerator(121)
        for _ in 0..<50 { try generator.schema().validate() }
    }
}

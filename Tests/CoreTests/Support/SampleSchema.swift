@_spi(Adapters) import TidelogCore

/// A model with a field of every type.
enum SampleSchema {
    static let declared = Schema(
        models: [
            ModelSchema(
                name: "Sample",
                fields: [
                    FieldSchema("id", .id, isRequired: true), FieldSchema("title", .string),
                    FieldSchema("whole", .int), FieldSchema("number", .double), FieldSchema("flag", .bool),
                    FieldSchema("color", .enumeration("Color")), FieldSchema("day", .date),
                    FieldSchema("clock", .time), FieldSchema("moment", .dateTime), FieldSchema("stamp", .timestamp),
                    FieldSchema("place", .embedded("Place")),
                    FieldSchema("names", .list(.string, elementIsRequired: true)),
                    FieldSchema("wholes", .list(.int, elementIsRequired: false)),
                    FieldSchema("numbers", .list(.double, elementIsRequired: false)),
                    FieldSchema("places", .list(.embedded("Place"), elementIsRequired: false)),
                    FieldSchema(
                        "grid", .list(.list(.int, elementIsRequired: false), elementIsRequired: false)),
                    FieldSchema("moments", .list(.dateTime, elementIsRequired: true)),
                    FieldSchema("colors", .list(.enumeration("Color"), elementIsRequired: true)),
                    FieldSchema("flags", .list(.bool, elementIsRequired: false)),
                ],
                indexes: [IndexSchema(name: "byTitle", fields: ["title", "whole"])])
        ],
        embeddedTypes: [
            EmbeddedSchema(
                name: "Place",
                fields: [
                    FieldSchema("city", .string, isRequired: true), FieldSchema("height", .double),
                    FieldSchema("inside", .embedded("Place")),
                    FieldSchema("near", .list(.embedded("Place"), elementIsRequired: false)),
                ])
        ],
        enums: [EnumSchema(name: "Color", cases: ["red", "green"])])

    static let record = Record(model: "Sample", values: ["id": "1"])

    static func layout() throws -> ModelLayout {
        try declared.validate()
        return SchemaLayout(StoredSchema(first: declared)).models[0]
    }
}

import Foundation
@_spi(Adapters) import TidelogCore
import TidelogJSON
@_spi(Adapters) import TidelogRecordJSON

/// The schemas and functions that the suites share.
enum Samples {
    /// A model with a field of every type.
    static let schema = Schema(
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
                    FieldSchema("grid", .list(.list(.int, elementIsRequired: false), elementIsRequired: false)),
                    FieldSchema("moments", .list(.dateTime, elementIsRequired: true)),
                    FieldSchema("days", .list(.date, elementIsRequired: false)),
                    FieldSchema("clocks", .list(.time, elementIsRequired: false)),
                    FieldSchema("colors", .list(.enumeration("Color"), elementIsRequired: true)),
                    FieldSchema("flags", .list(.bool, elementIsRequired: false)),
                ])
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

    /// A model with defaults.
    static let defaults = Schema(models: [
        ModelSchema(
            name: "Task",
            fields: [
                FieldSchema("id", .id, isRequired: true),
                FieldSchema("rank", .int, isRequired: true, defaultValue: 7),
                FieldSchema("note", .string, defaultValue: "none"),
                FieldSchema("when", .dateTime),
            ])
    ])

    /// The models of `Examples/World/schema.graphql`, without indexes and relations.
    static let world = Schema(
        models: [
            ModelSchema(
                name: "Country",
                fields: [
                    FieldSchema("id", .id, isRequired: true), FieldSchema("name", .string, isRequired: true),
                    FieldSchema("capital", .string),
                    FieldSchema("continent", .enumeration("Continent"), isRequired: true),
                    FieldSchema("areaKm2", .double), FieldSchema("population", .int, isRequired: true),
                    FieldSchema("currency", .string), FieldSchema("languages", .list(.string, elementIsRequired: true)),
                ]),
            ModelSchema(
                name: "City",
                fields: [
                    FieldSchema("id", .id, isRequired: true), FieldSchema("name", .string, isRequired: true),
                    FieldSchema("alternateNames", .list(.string, elementIsRequired: true)),
                    FieldSchema("latitude", .double, isRequired: true),
                    FieldSchema("longitude", .double, isRequired: true),
                    FieldSchema("population", .int, isRequired: true),
                    FieldSchema("timezone", .string, isRequired: true),
                    FieldSchema("countryID", .id, isRequired: true),
                ]),
        ],
        enums: [EnumSchema(name: "Continent", cases: ["AF", "AN", "AS", "EU", "NA", "OC", "SA"])])

    static func layout(_ schema: Schema, _ model: Int = 0) throws -> ModelLayout {
        try schema.validate()
        return SchemaLayout(StoredSchema(first: schema)).models[model]
    }

    static func worldFile(_ name: String) throws -> [UInt8] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return Array(try Data(contentsOf: root.appending(path: "Examples/World/\(name)")))
    }
}

extension FieldValue {
    /// A text that differs if two values differ in any way, even if `==` finds them equal.
    var exact: String {
        switch self {
        case .string(let text): "text \(Array(text.utf8))"
        case .int(let number): "int \(number)"
        case .double(let number): "double \(number.bitPattern)"
        case .bool(let flag): "bool \(flag)"
        case .date(let date): "date \(date.text) \(date.instant)"
        case .time(let time): "time \(time.text) \(time.instant)"
        case .dateTime(let dateTime): "dateTime \(dateTime.text) \(dateTime.instant)"
        case .embedded(let values): values.exact
        case .list(let values): "[\(values.map { $0?.exact ?? "missing" }.joined(separator: ", "))]"
        }
    }
}

extension [String: FieldValue] {
    var exact: String {
        "{\(sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.exact)" }.joined(separator: ", "))}"
    }
}

extension Record {
    /// Reads a record from the text of a JSON object.
    init(json: String, layout: ModelLayout) throws { try self.init(json: Array(json.utf8), layout: layout) }
}

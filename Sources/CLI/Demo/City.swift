internal import Tidelog

/// A city of the demo's data, written by hand in the form of generated code.
struct City: Model, Equatable {
    var id: String
    var name: String
    var alternateNames: [String]?
    var latitude: Double
    var longitude: Double
    var population: Int
    var timezone: String
    var countryID: String
    var createdAt: Temporal.DateTime?
    var updatedAt: Temporal.DateTime?

    static let schema = ModelSchema(
        name: "City",
        fields: [
            FieldSchema("id", .id, isRequired: true), FieldSchema("name", .string, isRequired: true),
            FieldSchema("alternateNames", .list(.string, elementIsRequired: true)),
            FieldSchema("latitude", .double, isRequired: true), FieldSchema("longitude", .double, isRequired: true),
            FieldSchema("population", .int, isRequired: true), FieldSchema("timezone", .string, isRequired: true),
            FieldSchema("countryID", .id, isRequired: true), FieldSchema("createdAt", .dateTime, isReadOnly: true),
            FieldSchema("updatedAt", .dateTime, isReadOnly: true),
        ],
        indexes: [
            IndexSchema(name: "byPopulation", fields: ["population"]),
            IndexSchema(name: "byTimezone", fields: ["timezone"]),
            IndexSchema(name: "byCountry", fields: ["countryID", "population"]),
        ])

    enum keys {
        static let population = Field<City, Int>("population")
    }

    func encode(into row: inout RowEncoder) {
        row.encode(id)
        row.encode(name)
        row.encode(alternateNames)
        row.encode(latitude)
        row.encode(longitude)
        row.encode(population)
        row.encode(timezone)
        row.encode(countryID)
        if let createdAt { row.encode(createdAt) } else { row.encodeMissing() }
        if let updatedAt { row.encode(updatedAt) } else { row.encodeMissing() }
    }

    init(from row: inout RowDecoder) throws(RowDamage) {
        id = try row.decode(String.self)
        name = try row.decode(String.self)
        alternateNames = try row.decodeTextsIfPresent()
        latitude = try row.decode(Double.self)
        longitude = try row.decode(Double.self)
        population = try row.decode(Int.self)
        timezone = try row.decode(String.self)
        countryID = try row.decode(String.self)
        createdAt = try row.decodeIfPresent(Temporal.DateTime.self)
        updatedAt = try row.decodeIfPresent(Temporal.DateTime.self)
    }
}

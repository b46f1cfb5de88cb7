internal import Tidelog

/// A country of the demo's data, written by hand in the form of generated code.
struct Country: Model, Equatable {
    /// The continents of the demo's data.
    enum Continent: String, FieldConvertible {
        case africa = "AF"
        case antarctica = "AN"
        case asia = "AS"
        case europe = "EU"
        case northAmerica = "NA"
        case oceania = "OC"
        case southAmerica = "SA"
    }

    var id: String
    var name: String
    var capital: String?
    var continent: Continent
    var areaKm2: Double?
    var population: Int
    var currency: String?
    var languages: [String]?
    var createdAt: Temporal.DateTime?
    var updatedAt: Temporal.DateTime?

    static let schema = ModelSchema(
        name: "Country",
        fields: [
            FieldSchema("id", .id, isRequired: true), FieldSchema("name", .string, isRequired: true),
            FieldSchema("capital", .string), FieldSchema("continent", .enumeration("Continent"), isRequired: true),
            FieldSchema("areaKm2", .double), FieldSchema("population", .int, isRequired: true),
            FieldSchema("currency", .string), FieldSchema("languages", .list(.string, elementIsRequired: true)),
            FieldSchema("createdAt", .dateTime, isReadOnly: true),
            FieldSchema("updatedAt", .dateTime, isReadOnly: true),
        ],
        indexes: [IndexSchema(name: "byContinent", fields: ["continent", "population"])])

    enum keys {
        static let continent = Field<Country, Continent>("continent")
        static let population = Field<Country, Int>("population")
        static let languages = Field<Country, [String]>("languages")
    }

    func encode(into row: inout RowEncoder) {
        row.encode(id)
        row.encode(name)
        if let capital { row.encode(capital) } else { row.encodeMissing() }
        row.encode(continent)
        if let areaKm2 { row.encode(areaKm2) } else { row.encodeMissing() }
        row.encode(population)
        if let currency { row.encode(currency) } else { row.encodeMissing() }
        row.encode(languages)
        if let createdAt { row.encode(createdAt) } else { row.encodeMissing() }
        if let updatedAt { row.encode(updatedAt) } else { row.encodeMissing() }
    }

    init(from row: inout RowDecoder) throws(RowDamage) {
        id = try row.decode(String.self)
        name = try row.decode(String.self)
        capital = try row.decodeIfPresent(String.self)
        continent = try row.decode(Continent.self)
        areaKm2 = try row.decodeIfPresent(Double.self)
        population = try row.decode(Int.self)
        currency = try row.decodeIfPresent(String.self)
        languages = try row.decodeTextsIfPresent()
        createdAt = try row.decodeIfPresent(Temporal.DateTime.self)
        updatedAt = try row.decodeIfPresent(Temporal.DateTime.self)
    }
}

extension RowEncoder {
    /// Encodes the next field, an optional list of texts.
    mutating func encode(_ texts: [String]?) {
        guard let texts else { return encodeMissing() }
        encodeList { list in for text in texts { list.append(text) } }
    }
}

extension RowDecoder {
    /// Decodes the next field, an optional list of texts.
    mutating func decodeTextsIfPresent() throws(RowDamage) -> [String]? {
        try decodeListIfPresent { (list) throws(RowDamage) in
            var texts: [String] = []
            for _ in 0..<list.count { if let text = try list.next(String.self) { texts.append(text) } }
            return texts
        }
    }
}

import Foundation
import Testing
import TidelogCore
import TidelogSDL
import TidelogSchema

@Suite struct WorldSchemaTests {
    static let timestamps = ["createdAt", "updatedAt"].map { FieldSchema($0, .dateTime, isReadOnly: true) }

    static let expected = Schema(
        models: [
            ModelSchema(
                name: "Country",
                fields: [
                    FieldSchema("id", .id, isRequired: true),
                    FieldSchema("name", .string, isRequired: true),
                    FieldSchema("capital", .string),
                    FieldSchema("continent", .enumeration("Continent"), isRequired: true),
                    FieldSchema("areaKm2", .double),
                    FieldSchema("population", .int, isRequired: true),
                    FieldSchema("currency", .string),
                    FieldSchema("languages", .list(.string, elementIsRequired: true)),
                ] + timestamps,
                indexes: [
                    IndexSchema(
                        name: "byContinent", fields: ["continent", "population"],
                        queryField: "countriesByContinentAndPopulation")
                ],
                associations: [
                    Association(
                        name: "cities", kind: .hasMany, target: "City", fields: ["id"],
                        indexOrRelationName: "byCountry")
                ]),
            ModelSchema(
                name: "City",
                fields: [
                    FieldSchema("id", .id, isRequired: true),
                    FieldSchema("name", .string, isRequired: true),
                    FieldSchema("alternateNames", .list(.string, elementIsRequired: true)),
                    FieldSchema("latitude", .double, isRequired: true),
                    FieldSchema("longitude", .double, isRequired: true),
                    FieldSchema("population", .int, isRequired: true),
                    FieldSchema("timezone", .string, isRequired: true),
                    FieldSchema("countryID", .id, isRequired: true),
                ] + timestamps,
                indexes: [
                    IndexSchema(name: "byPopulation", fields: ["population"], queryField: "citiesByPopulation"),
                    IndexSchema(name: "byTimezone", fields: ["timezone"], queryField: "citiesByTimezone"),
                    IndexSchema(
                        name: "byCountry", fields: ["countryID", "population"],
                        queryField: "citiesByCountryAndPopulation"),
                ],
                associations: [
                    Association(name: "country", kind: .belongsTo, target: "Country", fields: ["countryID"])
                ]),
        ],
        enums: [EnumSchema(name: "Continent", cases: ["AF", "AN", "AS", "EU", "NA", "OC", "SA"])])

    @Test func `the schema file of the world example gives exactly the expected schema`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = Array(try Data(contentsOf: root.appending(path: "Examples/World/schema.graphql")))
        let schema = try Schema(sdl: file)
        #expect(schema == Self.expected)
        #expect(SchemaDifference(from: Self.expected, to: schema).changes.map(\.description) == [])
    }

    @Test func `the world example's schema prints as its file, with the relation's fields spelled out`() throws {
        #expect(
            Self.expected.sdl == """
                enum Continent {
                  AF
                  AN
                  AS
                  EU
                  NA
                  OC
                  SA
                }

                type Country @model {
                  id: ID!
                  name: String!
                  capital: String
                  continent: Continent! @index(name: "byContinent", sortKeyFields: ["population"])
                  areaKm2: Float
                  population: Int!
                  currency: String
                  languages: [String!]
                  cities: [City] @hasMany(indexName: "byCountry", fields: ["id"])
                }

                type City @model {
                  id: ID!
                  name: String!
                  alternateNames: [String!]
                  latitude: Float!
                  longitude: Float!
                  population: Int! @index(name: "byPopulation")
                  timezone: String! @index(name: "byTimezone")
                  countryID: ID! @index(name: "byCountry", sortKeyFields: ["population"], queryField: "citiesByCountryAndPopulation")
                  country: Country @belongsTo(fields: ["countryID"])
                }

                """)
    }
}

import Foundation
import Testing
import TidelogGraphQL
import TidelogGraphQLExecution

@Suite("The world example's schema")
struct WorldSchemaTests {
    private func world() throws -> Document {
        let file = Checkout.root.appending(path: "Examples/World/schema.graphql")
        return try Document(parsing: Array(Data(contentsOf: file)))
    }

    @Test("The world schema parses, and prints to an equal document")
    func parses() throws {
        let document = try world()
        #expect(document.typeDefinitions.map(\.name.value) == ["Continent", "Country", "City"])
        #expect(document.definitions.count == 3)
        #expect(try survivesPrinting(document))
    }

    @Test("The models of the world schema have their fields, types and directives with arguments")
    func models() throws {
        let country = try world().typeDefinitions[1]
        #expect(country.kind == .object)
        #expect(country.directives.first(named: "model") != nil)
        #expect(country.fields.first(named: "id")?.type.printed() == "ID!")
        #expect(country.fields.first(named: "languages")?.type.listElement?.isNonNull == true)
        let index = try #require(country.fields.first(named: "continent")?.directives.first(named: "index"))
        #expect(index.arguments["name"]?.string == "byContinent")
        #expect(index.arguments["sortKeyFields"]?.elements?.map(\.string) == ["population"])
    }
}

import Foundation
import SeededNumbers
import Testing
import TidelogCore
import TidelogJSON
import TidelogSDL
import TidelogSchema

@Suite("Schemas from amplify_outputs.json")
struct IntrospectionTests {
    private static func read(_ json: String) throws -> Schema {
        try SchemaDocument(introspection: Array(json.utf8)).schema
    }

    /// A file with one model `A`, whose fields and other members are JSON texts.
    private static func file(fields: String, _ others: String = "", models: String = "") -> String {
        """
        {"version":1,"models":{"A":{"name":"A","fields":{"id":{"name":"id","type":"ID","isRequired":true,"isArray":false}\
        \(fields)}\(others)}\(models)},"enums":{"Level":{"name":"Level","values":["low","high"]}}}
        """
    }

    @Test("the models of a Gen 2 backend are those of the same schema in the schema language")
    func reference() throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "GeneratedModels/Outputs/amplify_outputs.json")
        let document = try SchemaDocument(file: Array(Data(contentsOf: path)))
        let expected = try Schema(
            sdl: """
                enum SailorRole { captain mate }
                type Crew @model @auth(rules: [{allow: public, provider: apiKey, operations: [create, update, delete, read]}]) {
                  harbour: String! @primaryKey(sortKeyFields: ["number"])
                  number: Int!
                  name: String
                  sailors: [Sailor] @hasMany(references: ["crewHarbour", "crewNumber"])
                  boat: Boat @hasOne(references: ["crewHarbour", "crewNumber"])
                }
                type Sailor @model @auth(rules: [{provider: userPools, ownerField: "owner", allow: owner,
                  identityClaim: "cognito:username", operations: [create, update, delete, read]}]) {
                  id: ID!
                  name: String! @index(name: "sailorsByName", queryField: null)
                  role: SailorRole
                  home: SailorHome
                  tags: [String!]
                  marks: [Int]!
                  email: AWSEmail
                  born: AWSDate
                  crewHarbour: String @index(name: "sailorsByCrewHarbourAndName", sortKeyFields: ["name"],
                    queryField: "listSailorByCrewHarbourAndName")
                  crewNumber: Int
                  crew: Crew @belongsTo(references: ["crewHarbour", "crewNumber"])
                }
                type Boat @model @auth(rules: [{allow: public, provider: apiKey, operations: [create, update, delete, read]}]) {
                  id: ID!
                  name: String
                  crewHarbour: String
                  crewNumber: Int
                  crew: Crew @belongsTo(references: ["crewHarbour", "crewNumber"])
                }
                type SailorHome { city: String rooms: Int! }
                """)
        #expect(SchemaDifference(from: expected, to: document.schema).changes.map(\.description) == [])
        #expect(document.schema == expected)
    }

    @Test("a random schema is the same after it is described and read again, except for what a description leaves out")
    func roundTrip() throws {
        var generator = SeededGenerator(7)
        var (same, relations) = (0, 0)
        for _ in 0..<600 {
            guard var schema = try? Schema(sdl: generator.document()), schema.isDescribable else { continue }
            let text = schema.modelIntrospection.bytes()
            schema.leaveOut()
            let again = try SchemaDocument(introspection: text).schema
            var plain = again
            plain.leaveOut()
            #expect(
                SchemaDifference(from: schema, to: plain).changes.map(\.description) == [], "\(schema.sdl)")
            same += 1
            relations += schema.models.flatMap(\.associations).count
            #expect(again.modelIntrospection.bytes() == text)
        }
        #expect(same > 100 && relations > 100, "\(same) schemas with \(relations) relations")
    }

    @Test("the first generation's names of relations and fields that only relations name are understood")
    func firstGeneration() throws {
        let fields = """
            ,"parts":{"name":"parts","isArray":true,"type":{"model":"B"},"isRequired":false,
            "association":{"connectionType":"HAS_MANY","associatedWith":["whole"]}}
            """
        let other = """
            ,"B":{"name":"B","fields":{"id":{"name":"id","type":"ID","isRequired":true},
            "whole":{"name":"whole","type":{"model":"A"},"isRequired":true,
            "association":{"connectionType":"BELONGS_TO","targetName":"aPartsId"}}}}
            """
        let schema = try Self.read(Self.file(fields: fields, models: other))
        let part = try #require(schema.model(named: "B"))
        #expect(part.field(named: "aPartsId") == FieldSchema("aPartsId", .id, isRequired: true))
        #expect(part.associations.map(\.fields) == [["aPartsId"]])
        let index = try #require(part.indexes.first { $0.fields == ["aPartsId"] })
        #expect(schema.model(named: "A")?.associations.first?.indexOrRelationName == index.name)
        // A model without timestamps of the server has none.
        #expect(part.field(named: "updatedAt") == nil)
    }

    @Test(
        "a description that does not fit is refused with the place of the value",
        arguments: [
            ("[]", "the file has no data.model_introspection"),
            ("{\"version\":\"1\",\"data\":{\"url\":\"x\"}}", "the file has no data.model_introspection"),
            ("{\"models\":3}", "models must be an object"),
            ("{\"models\":{\"A\":{}}}", "models.A has no \"fields\""),
            ("{\"models\":{}}", "models has no model"),
            (file(fields: ",\"x\":{\"name\":\"x\"}"), "models.A.fields.x has no \"type\""),
            (
                file(fields: ",\"x\":{\"name\":\"x\",\"type\":3}"),
                "models.A.fields.x.type names no scalar, enum, type or model"
            ),
            (
                file(fields: ",\"x\":{\"name\":\"x y\",\"type\":\"Int\"}"),
                "has the name \"x y\", which no schema can have"
            ),
            (file(fields: ",\"x\":{\"name\":\"x\",\"type\":{\"enum\":\"Levle\"}}"), "unknown type"),
            (
                file(fields: ",\"x\":{\"name\":\"x\",\"type\":\"Int\",\"isRequired\":1}"),
                "models.A.fields.x.isRequired must be true or false"
            ),
            (
                file(
                    fields:
                        ",\"b\":{\"name\":\"b\",\"type\":{\"model\":\"B\"},\"association\":{\"connectionType\":\"HAS_MANY\"}}"
                ),
                "models.A.fields.b leads to B, which is no model"
            ),
            (
                file(
                    fields:
                        ",\"a\":{\"name\":\"a\",\"type\":{\"model\":\"A\"},\"association\":{\"connectionType\":\"MANY\"}}"
                ),
                "models.A.fields.a.association has the kind MANY, which is not known"
            ),
            (
                file(
                    fields: "", ",\"attributes\":[{\"type\":\"key\",\"properties\":{\"name\":\"i\",\"fields\":\"id\"}}]"
                ),
                "models.A.attributes[0].properties.fields must be a list"
            ),
            ("{\"models\":{\"A\":{\"fields\":}}", "unexpected byte"),
        ])
    func refusals(_ json: String, _ message: String) throws {
        let error = #expect(throws: SchemaDiagnostic.self) { try Self.read(json) }
        #expect(error?.message.contains(message) == true, "\(error?.description ?? "")")
    }

    @Test("a file that begins with a brace is read as JSON, and any other file in the schema language")
    func kinds() throws {
        let json = Array("\n  \(Self.file(fields: ""))".utf8)
        #expect(try SchemaDocument(file: json).schema.models.map(\.name) == ["A"])
        #expect(try SchemaDocument(file: Array("type B @model { id: ID! }".utf8)).schema.models.map(\.name) == ["B"])
        #expect(throws: SchemaDiagnostic.self) { try SchemaDocument(file: []) }
    }
}

extension Schema {
    /// Whether all relations follow whole keys, and every type has a field that is described. A description of a relation names
    /// the fields of the other model alone, which stand for the whole key of this one.
    fileprivate var isDescribable: Bool {
        embeddedTypes.allSatisfy { !$0.fields.allSatisfy(\.isListOfLists) }
            && models.allSatisfy { model in
                model.associations.allSatisfy { association in
                    association.kind != .hasMany
                        || association.indexOrRelationName != nil && association.fields == model.primaryKey
                }
            }
    }

    /// Removes what a description leaves out, and what it describes in another way.
    fileprivate mutating func leaveOut() {
        for place in models.indices {
            models[place].documentation = nil
            models[place].fields.removeAll(where: \.isListOfLists)
            models[place].directives.removeAll { !$0.hasPrefix("@auth") && !$0.hasPrefix("@model") }
            models[place].directives.sort()
            for field in models[place].fields.indices { models[place].fields[field].leaveOut() }
            for relation in models[place].associations.indices {
                models[place].associations[relation].leaveOut(in: models[place])
            }
        }
        for type in embeddedTypes.indices {
            embeddedTypes[type].documentation = nil
            embeddedTypes[type].fields.removeAll(where: \.isListOfLists)
            for field in embeddedTypes[type].fields.indices { embeddedTypes[type].fields[field].leaveOut() }
        }
        for type in enums.indices { enums[type].documentation = nil }
    }
}

extension FieldSchema {
    fileprivate var isListOfLists: Bool {
        if case .list(.list, _) = type { true } else { false }
    }

    fileprivate mutating func leaveOut() { (documentation, defaultValue, directives) = (nil, nil, []) }
}

extension Association {
    fileprivate mutating func leaveOut(in model: ModelSchema) {
        (documentation, directives, limit) = (nil, [], nil)
        if kind == .manyToMany {
            (kind, target, fields) = (.hasMany, indexOrRelationName ?? target, model.primaryKey)
        }
        // Any index that begins with the fields will do.
        if kind != .belongsTo { indexOrRelationName = nil }
    }
}

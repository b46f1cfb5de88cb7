import TestStores
import Testing
import Tidelog
import TidelogGraphQLExecution

@testable import TidelogServer

@Suite("Mutations and the rules of fields")
struct RuleTests {
    private static let sdl = """
        type Hiker @model @auth(rules: [{allow: public}, {allow: owner}]) {
          id: ID!
          name: String @validate(type: minLength, value: "3", errorMessage: "A name has three letters.")
            @validate(type: matches, value: "^[A-Z]")
          rank: Int @default(value: "-1") @validate(type: gte, value: "0")
          done: Boolean
        }
        """
    private static let sdlWithoutRules = """
        type Hiker @model @auth(rules: [{allow: public}, {allow: owner}]) {
          id: ID! name: String rank: Int @default(value: "-1") done: Boolean
        }
        """

    private static func refusal(_ field: String, _ message: String, column: Int = 12) -> String {
        #"{"data":{"\#(field)":null},"errors":[{"path":["\#(field)"],"data":null,"errorType":"ValidationError","#
            + #""errorInfo":null,"locations":[{"line":1,"column":\#(column),"sourceName":null}],"#
            + #""message":"\#(message)"}]}"#
    }

    @Test(
        "a mutation with a value that breaks a rule is refused with the rule's message", arguments: Adapter.persistent)
    func refused(adapter: Adapter) async throws {
        let served = try await ServedSchema(Self.sdl, on: adapter)
        let head = try served.store.head
        let create = { (input: String) in try await served.ask("mutation { createHiker(input: {\(input)}) { id } }") }
        #expect(
            try await create(#"id: "1", name: "Al", rank: 1"#)
                == Self.refusal("createHiker", "A name has three letters."))
        #expect(
            try await create(#"id: "1", name: "alex", rank: 1"#)
                == Self.refusal("createHiker", "name must match the pattern ^[A-Z]"))
        // A default counts as sent.
        #expect(try await create(#"id: "1", name: "Alex""#) == Self.refusal("createHiker", "rank must be at least 0."))
        #expect(try served.store.head == head)

        _ = try await served.data(#"mutation { createHiker(input: {id: "1", rank: 0, name: null}) { id } }"#)
        let update = { (input: String) in
            try await served.ask(#"mutation { updateHiker(input: {id: "1", _version: 1, \#(input)}) { name rank } }"#)
        }
        #expect(try await update("rank: -5") == Self.refusal("updateHiker", "rank must be at least 0."))
        #expect(try await update("rank: null") == #"{"data":{"updateHiker":{"name":null,"rank":null}}}"#)
        #expect(
            try await served.ask(#"mutation { deleteHiker(input: {id: "1", _version: 2}) { id } }"#)
                == #"{"data":{"deleteHiker":{"id":"1"}}}"#)
    }

    @Test("a record that is older than a rule can get other values, be merged and be deleted")
    func olderRecords() async throws {
        let scratch = try Scratch()
        let adapter = try #require(Adapter.persistent.first)
        for (sdl, mutations) in [
            (Self.sdlWithoutRules, [#"createHiker(input: {id: "1", name: "Al"}) { id }"#]),
            (
                Self.sdl,
                [
                    #"updateHiker(input: {id: "1", done: true, _version: 1}) { id }"#,
                    #"updateHiker(input: {id: "1", done: false, _version: 1}) { id }"#,
                    #"deleteHiker(input: {id: "1", _version: 3}) { id name rank done _version }"#,
                ]
            ),
        ] {
            let api = try API(SchemaDocument(sdl: Array(sdl.utf8)))
            let store = try await DataStore.open(
                at: scratch.path(), schema: ServerModels.adding(to: api.storedSchema), adapter: adapter.factory,
                configuration: DataStoreConfiguration(durability: .relaxed))
            let versions = try await LogVersionedStore(
                store, schema: api.storedSchema, source: sdl, tombstoneAge: 1_000_000, clock: { 1 })
            let service = try await Service(
                api, versions, environment: Service.Environment(clock: { 1 }) { [UInt8](repeating: 1, count: $0) })
            for mutation in mutations {
                let response = try await service.respond(to: ServiceRequest("mutation { \(mutation) }"), from: .apiKey)
                #expect(response.errors.isEmpty, "\(mutation): \(response.errors)")
            }
            try await store.close()
        }
    }

    @Test("the permission to change a record is checked before the rules")
    func permissionFirst() async throws {
        let served = try await ServedSchema(Self.sdl.replacing("{allow: public}, ", with: ""))
        let answer = try await served.ask(#"mutation { createHiker(input: {name: "Al"}) { id } }"#)
        #expect(answer.contains("Unauthorized") && !answer.contains("three letters"), "\(answer)")
    }
}

import TestStores
import Testing
import Tidelog
import TidelogCore
import TidelogServer

@Suite("The schema of a server's store")
struct StoredSchemaTests {
    private func stored(_ name: String) throws -> Schema {
        try API(Checkout.text("Tests/Fixtures/api/\(name).graphql")).storedSchema
    }

    @Test("every model gets the fields _version, _deleted and _lastChangedAt, and an index by _lastChangedAt")
    func metadata() throws {
        for name in APIFixtureTests.names {
            let schema = try stored(name)
            try schema.validate()
            for model in schema.models {
                #expect(model.field(named: "_version") == FieldSchema("_version", .int, isRequired: true))
                #expect(model.field(named: "_deleted") == FieldSchema("_deleted", .bool))
                #expect(
                    model.field(named: "_lastChangedAt") == FieldSchema("_lastChangedAt", .timestamp, isRequired: true))
                #expect(model.indexes.last == IndexSchema(name: API.changeIndex, fields: ["_lastChangedAt"]))
            }
        }
    }

    @Test(
        "the stored schema has the fields and models that directives and rules imply: keys, times, owners, join models")
    func implied() throws {
        let post = try #require(stored("blog").model(named: "Post"))
        #expect(post.field(named: "blogPostsId")?.type == .id)
        #expect(post.field(named: "postCoverId")?.isRequired == true)
        #expect(post.field(named: "createdAt")?.isReadOnly == false)
        #expect(post.field(named: "views")?.defaultValue == .int(0))
        #expect(try stored("auth").model(named: "Note")?.field(named: "owner") == FieldSchema("owner", .string))
        #expect(try stored("auth").model(named: "Draft")?.field(named: "author") == FieldSchema("author", .string))
        #expect(try stored("many-to-many").model(named: "PostTags")?.indexes.count == 3)
    }

    @Test(
        "every adapter stores records with metadata, and finds the records that changed since a time",
        arguments: Adapter.all)
    func adapters(_ adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await DataStore.open(
            at: scratch.path(), schema: stored("blog"), adapter: adapter.factory)
        try await store.write { transaction in
            for number in 1...20 {
                try transaction.save(
                    Record(
                        model: "Blog",
                        values: [
                            "id": .string("b\(number)"), "name": "Blog", "_version": 1,
                            "_lastChangedAt": .int(Int64(number)), "_deleted": .bool(number % 2 == 0),
                        ]))
            }
        }
        let since = QueryPredicate.field("_lastChangedAt", .greaterOrEqual(18))
        let changed = try await store.fetch(Record.all(of: "Blog").where(since))
        #expect(changed.map { $0["_version"] } == [1, 1, 1])
        #expect(changed.count { $0["_deleted"] == true } == 2)
        let plan = try await store.read {
            try $0.plan(Record.all(of: "Blog").where(since).sorted(by: Sort([.init("_lastChangedAt")])))
        }
        if adapter.factory.name != "memory" { #expect(plan.index == API.changeIndex && !plan.sorts) }
        try await store.close()
    }

    @Test("the stored schema of every documented schema is valid and has no hasOne association")
    func documented() throws {
        for (name, text) in try Checkout.documentedSchemas() {
            let schema = try API(text).storedSchema
            #expect(throws: Never.self, "\(name)") { try schema.validate() }
            #expect(schema.models.allSatisfy { $0.associations.allSatisfy { $0.kind != .hasOne } }, "\(name)")
        }
    }
}

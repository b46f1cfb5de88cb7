import TestStores
import Testing
import Tidelog
import TidelogSDL

@testable import TidelogServer

@Suite("The kinds of APIs of a store")
struct KindsOfStoresTests {
    private static let sdl = "type Todo @model { id: ID! content: String rank: Int @index(queryField: null) }"

    private static func open(_ store: DataStore, _ kind: APIKind) async throws -> LogVersionedStore {
        let schema = try API(SchemaDocument(sdl: Array(sdl.utf8)), kind).storedSchema
        return try await LogVersionedStore(
            store, schema: schema, source: sdl, kind: kind, tombstoneAge: 1_000, clock: { 1_700_000_000_000 })
    }

    private static func store() async throws -> DataStore {
        let schema = try API(SchemaDocument(sdl: Array(sdl.utf8))).storedSchema
        return try await DataStore.inMemory(schema: ServerModels.adding(to: schema))
    }

    @Test("both kinds of APIs of a schema have the same stored schema")
    func storedSchema() throws {
        for name in APIFixtureTests.names {
            let document = try SchemaDocument(sdl: Array(Checkout.text("Tests/Fixtures/api/\(name).graphql").utf8))
            let (versioned, timestamps) = (try API(document), try API(document, .timestamps))
            let names = { (schema: Schema) in schema.models.map { $0.fields.map(\.name) + $0.indexes.map(\.name) } }
            #expect(names(versioned.storedSchema) == names(timestamps.storedSchema), "\(name)")
        }
    }

    @Test("a store that was served with one kind of API is refused with the other kind, and nothing is written")
    func kinds() async throws {
        for (first, other) in [(APIKind.versioned, APIKind.timestamps), (.timestamps, .versioned)] {
            let store = try await Self.store()
            _ = try await Self.open(store, first)
            let head = try store.head.sequence
            let error = await #expect(throws: DataStoreError.self) { _ = try await Self.open(store, other) }
            #expect(error?.code == .configurationMismatch)
            #expect(error?.recoverySuggestion?.contains(first == .versioned ? "--api gen1" : "--api gen2") == true)
            _ = try await Self.open(store, first)
            #expect(try store.head.sequence == head)
            try await store.close()
        }
    }

    @Test("a store whose server noted no kind has versions")
    func earlierServers() async throws {
        let store = try await Self.store()
        try await store.save(
            Record(model: ServerModels.fact, values: ["id": "source", "text": .string(Self.sdl)]))
        await #expect(throws: DataStoreError.self) { _ = try await Self.open(store, .timestamps) }
        _ = try await Self.open(store, .versioned)
        try await store.close()
    }

    @Test("the changes of a store without versions have each deleted record, and the store keeps nothing of it")
    func changes() async throws {
        let store = try await Self.store()
        let versions = try await Self.open(store, .timestamps)
        let record = Record(model: "Todo", values: ["id": "1", "content": "a", "rank": 1])
        let changes = try versions.changes()
        var places: [UInt64?] = []
        for _ in 1...2 {
            _ = try await versions.change("Todo", "1", name: nil) { _ in .save(record) }
            let outcome = try await versions.change("Todo", "1", name: nil) { stored in
                stored.map { .delete($0) } ?? .keep
            }
            #expect(outcome.kind == .written && outcome.record?["content"] == "a")
            #expect(try await versions.record("Todo", "1") == nil)
            #expect(try await store.count(Record.all(of: "Todo")) == 0)
            #expect(
                try await versions.page(
                    PageQuery(Record.all(of: "Todo").where(.field("rank", .equal(1))), limit: 9)
                ).records.isEmpty)
            places.append(outcome.place)
        }
        var seen: [StoredChange] = []
        for try await change in changes {
            seen.append(change)
            if seen.count == 4 { break }
        }
        #expect(seen.map(\.kind) == [.created, .deleted, .created, .deleted])
        #expect(seen.map { $0.record["content"] } == Array(repeating: "a", count: 4))
        #expect([seen[1].place, seen[3].place] == places)
        #expect(try await versions.purge(before: .max) == 0)
        try await store.close()
    }
}

import TestStores
import Testing
import Tidelog

@_spi(Adapters) @testable import TidelogCore

@Suite("Writes and the rules of fields")
struct RuleWriteTests {
    static let sdl = """
        type Hiker @model {
          id: ID!
          name: String! @validate(type: minLength, value: "3", errorMessage: "A name has three letters.")
            @validate(type: maxLength, value: "5")
          age: Int @default(value: "18") @validate(type: gte, value: "0")
          rating: Float @validate(type: lte, value: "5")
          done: Boolean
        }
        type Plain @model { id: ID! name: String }
        """
    static let sdlWithoutRules = """
        type Hiker @model { id: ID! name: String! age: Int @default(value: "18") rating: Float done: Boolean }
        type Plain @model { id: ID! name: String }
        """

    private static func hiker(_ values: [String: FieldValue]) -> Record {
        let all: [String: FieldValue] = ["id": "1", "name": "Nadia"]
        return Record(model: "Hiker", values: all.merging(values) { $1 })
    }

    static let broken: [(String, FieldValue, String, String)] = [
        ("name", "Al", "minLength 3", "Hiker.name breaks the rule minLength 3: A name has three letters."),
        (
            "name", "Alexander", "maxLength 5",
            "Hiker.name breaks the rule maxLength 5: name must have at most 5 characters."
        ),
        ("age", -1, "gte 0", "Hiker.age breaks the rule gte 0: age must be at least 0."),
        ("rating", 5.5, "lte 5", "Hiker.rating breaks the rule lte 5: rating must be at most 5."),
    ]

    @Test("a local save with a value that breaks a rule is refused", arguments: broken)
    func refused(_ field: String, _ value: FieldValue, _ rule: String, _ message: String) async throws {
        let store = try await DataStore.inMemory(schema: Schema(sdl: Self.sdl))
        let head = try store.head
        let record = Self.hiker([field: value])
        let error = await #expect(throws: DataStoreError.self) { try await store.save(record) }
        #expect(error?.code == .ruleBroken)
        #expect(error?.model == "Hiker" && error?.recordID == "1" && error?.field == field)
        #expect(error?.rule?.description == rule)
        #expect(error?.message == message)
        #expect(try store.head == head)
    }

    @Test("missing values and values that follow the rules are saved, also with conditions", arguments: Adapter.all)
    func saved(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(adapter, Self.sdl)
        try await store.save(Self.hiker([:]))
        let full = Self.hiker(["age": 0, "rating": 5])
        try await store.save(full, where: .field("name", .equal("Nadia")))
        let error = await #expect(throws: DataStoreError.self) {
            try await store.save(Self.hiker(["age": -1]), where: .field("name", .equal("Nadia")))
        }
        #expect(error?.code == .ruleBroken)
        #expect(try await store.record("Hiker", id: "1")?["age"] == 0)
        try await store.close()
    }

    @Test("a refused save stages nothing, and the other saves of its transaction succeed", arguments: Adapter.all)
    func staging(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(adapter, Self.sdl)
        let refused = try await store.writeReturning { transaction in
            try transaction.save(Record(model: "Plain", values: ["id": "p"]))
            var refused = 0
            do { try transaction.save(Self.hiker(["age": -1])) } catch { refused += 1 }
            try transaction.save(Self.hiker(["age": 1]))
            do { try transaction.save(Self.hiker(["age": -2])) } catch { refused += 1 }
            try transaction.delete("Hiker", id: "1")
            do { try transaction.save(Self.hiker(["age": -2])) } catch { refused += 1 }
            try transaction.save(Self.hiker(["age": 2]))
            return refused
        }.result
        #expect(refused == 3)
        #expect(try await store.record("Hiker", id: "1")?["age"] == 2)
        #expect(try await store.read { try $0.count(Record.all(of: "Plain")) } == 1)
        try await store.close()
    }

    @Test(
        "a record that is older than a rule stays and can be saved again, but not with another value that breaks it",
        arguments: Adapter.persistent)
    func olderRecords(adapter: Adapter) async throws {
        let scratch = try Scratch()
        var store = try await scratch.open(adapter, Self.sdlWithoutRules)
        try await store.save(Self.hiker(["name": "Al", "age": -1]))
        try await store.close()
        store = try await scratch.open(adapter, Self.sdl)
        #expect(try store.schema.version == 2)
        #expect(try await store.record("Hiker", id: "1")?["name"] == "Al")
        try await store.save(Self.hiker(["name": "Al", "age": -1, "done": true]))
        #expect(try await store.record("Hiker", id: "1")?["done"] == true)
        let refused = Self.hiker(["name": "Bo", "age": -1, "done": true])
        await #expect(throws: DataStoreError.self) { try await store.save(refused) }
        try await store.save(Self.hiker(["name": "Bob", "age": -1]))
        try await store.close()
        // The rules go again, and everything can be written again.
        store = try await scratch.open(adapter, Self.sdlWithoutRules)
        try await store.save(Self.hiker(["name": "B"]))
        try await store.close()
    }

    @Test("a remote change is never refused")
    func remote() async throws {
        let store = try await DataStore.inMemory(schema: Schema(sdl: Self.sdl))
        try await store.write { transaction in
            try transaction.save(Self.hiker(["name": "Al"]), origin: .remote)
            let server = ServerState(version: 1, lastChangedAt: 1)
            try transaction.append(received: Self.hiker(["id": "2", "age": -1]), server: server)
        }
        #expect(try await store.record("Hiker", id: "1")?["name"] == "Al")
        #expect(try await store.record("Hiker", id: "2")?["age"] == -1)
    }

    @Test("a code with fewer fields than the store leaves values that break a rule as they are")
    func fewerFields() async throws {
        let scratch = try Scratch()
        let adapter = try #require(Adapter.persistent.first)
        var store = try await scratch.open(adapter, Self.sdlWithoutRules)
        try await store.save(Self.hiker(["age": -1]))
        try await store.close()
        store = try await scratch.open(adapter, Self.sdl)
        try await store.close()
        store = try await scratch.open(adapter, "type Hiker @model { id: ID! name: String! }")
        try await store.save(Self.hiker(["name": "Pia"]))
        #expect(try await store.record("Hiker", id: "1")?["age"] == -1)
        try await store.close()
    }

    @Test("a stored schema with a rule that this version does not know can be read, and the rule is not checked")
    func unknownRules() throws {
        var schema = try Schema(sdl: "type Plain @model { id: ID! name: String }")
        schema.models[0].fields[1].directives = [#"@validate(type: even, value: "1")"#]
        let stored = StoredSchema(first: schema)
        let bytes = SchemaCoding.encode(stored)
        #expect(try bytes.withUnsafeBytes { try SchemaCoding.decode($0) } == stored)
        #expect(SchemaLayout(stored).model(named: "Plain")?.row.ruledFields.isEmpty == true)
        #expect(throws: DataStoreError.self) { try schema.validate() }
    }
}

extension Scratch {
    fileprivate func open(_ adapter: Adapter, _ sdl: String) async throws -> DataStore {
        try await DataStore.open(
            at: path("store"), schema: Schema(sdl: sdl), adapter: adapter.factory,
            configuration: DataStoreConfiguration(durability: .relaxed))
    }
}

import PostgresSupport
import TestWaiting
import Testing
import TidelogCore
import TidelogServer

@testable import TidelogPostgres

/// Changes that share a transaction have the same results as changes that are made one after the other.
@Suite("Changes that share a transaction", .enabled(if: PostgresCluster.isInstalled), .timeLimit(.minutes(5)))
struct ChangeBatchTests {
    private static let schema = Schema(models: [
        ModelSchema(
            name: "Item",
            fields: [FieldSchema("id", .id, isRequired: true), FieldSchema("text", .string)] + Metadata.fields,
            indexes: [IndexSchema(name: "byText", fields: ["text"])])
    ])

    private static func open(
        _ address: String, limits: DatabaseAddress.Limits = DatabaseAddress.Limits()
    ) async throws -> PostgresVersionedStore {
        try await PostgresVersionedStore(
            DatabaseAddress(address), schema: schema, source: "s", tombstoneAge: 1_000_000, limits: limits)
    }

    private static func save(_ id: String, _ text: String = "", name: String? = nil) -> RequestedChange {
        let name = name.map { StoredChange.Name($0, subject: "s", content: id) }
        return RequestedChange("Item", RecordID(id), name: name) { _ in
            .save(Record(model: "Item", values: ["id": .string(id), "text": .string(text)]))
        }
    }

    @Test("the changes of a document are one transaction, and a record that occurs twice begins another one")
    func oneTransaction() async throws {
        let address = try PostgresCluster.makeDatabase()
        let store = try await Self.open(address)
        let results = try await store.change((0..<25).map { Self.save("i\($0)", name: "n\($0)") })
        #expect(try results.allSatisfy { try $0.get().kind == .written })
        let places = try results.map { try $0.get().place ?? 0 }
        #expect(places == places.sorted())
        let count = #"SELECT count(*), count(DISTINCT xmin::text) FROM tidelog."Item""#
        #expect(try PostgresCluster.run(count, on: address) == "25|1")

        let again = try await store.change([Self.save("i0"), Self.save("i1"), Self.save("i0"), Self.save("i2")])
        #expect(try again.map { try $0.get().record?.version } == [2, 2, 3, 2])
        #expect(try PostgresCluster.run(count, on: address) == "25|3")
    }

    @Test("a value that the database refuses fails only its own change")
    func refusedValue() async throws {
        let store = try await Self.open(PostgresCluster.makeDatabase())
        // PostgreSQL compresses long values, so the text does not repeat itself.
        let long = String((0..<20_000).map { _ in "abcdefghijklmnopqrstuvwxyz0123456789".randomElement() ?? "a" })
        let results = try await store.change([
            Self.save("a"), Self.save("b", long), Self.save("c", "\0"), Self.save("d"),
        ])
        #expect(results.map { (try? $0.get())?.kind } == [.written, nil, nil, .written])
        for (index, text) in [(1, "too long"), (2, "U+0000")] {
            let error = #expect(throws: DataStoreError.self) { try results[index].get() }
            #expect(error?.code == .invalidValue && error?.message.contains(text) == true)
        }
        #expect(try await store.record("Item", "b") == nil)
        #expect(try await store.record("Item", "d")?.version == 1)
        #expect(store.writeFailure == nil)
    }

    @Test("two processes that change the same records in opposite orders make every change once")
    func opposite() async throws {
        let address = try PostgresCluster.makeDatabase()
        let stores = [try await Self.open(address), try await Self.open(address)]
        let (tasks, rounds) = (6, 5)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    for round in 0..<rounds {
                        let ids = (0..<12).map { "r\($0)" }
                        let order = task.isMultiple(of: 2) ? ids : ids.reversed()
                        let changes = order.map { Self.save($0, name: "\(task) \(round) \($0)") }
                        for result in try await stores[task % 2].change(changes) {
                            #expect(try result.get().kind == .written)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        for number in 0..<12 {
            #expect(try await stores[0].record("Item", RecordID("r\(number)"))?.version == Int64(tasks * rounds))
        }
    }

    @Test("a record that another user has locked is an error that says so, and other changes do not wait for it")
    func locked() async throws {
        let address = try PostgresCluster.makeDatabase()
        var limits = DatabaseAddress.Limits()
        limits.lockTime = 300
        let store = try await Self.open(address, limits: limits)
        _ = try await store.change([Self.save("a"), Self.save("b")])
        let other = try Connection(DatabaseAddress(address), DatabaseAddress.Limits())
        _ = try other.transaction([
            SQLStatement("BEGIN"), SQLStatement(#"UPDATE tidelog."Item" SET text = text WHERE id = 'a'"#),
        ])
        // The changes of "a" wait one after the other, and not in all transactions that the store may have.
        let blocked = (0..<6).map { _ in Task { try await store.change([Self.save("a")])[0].get() } }
        #expect(try await store.change([Self.save("b")])[0].get().record?.version == 2)
        for task in blocked {
            let error = await #expect(throws: DataStoreError.self) { _ = try await task.value }
            #expect(error?.message == "Another transaction of the database holds a lock for too long.")
        }
        _ = try other.run(SQLStatement("COMMIT"))
        #expect(try await store.change([Self.save("a")])[0].get().record?.version == 2)
    }

    @Test("changes of many callers share transactions")
    func shared() async throws {
        let address = try PostgresCluster.makeDatabase()
        let store = try await Self.open(address)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask { _ = try await store.change([Self.save("i\(number)")])[0].get() }
            }
            try await group.waitForAll()
        }
        let count = #"SELECT count(*), count(DISTINCT xmin::text) < 200 FROM tidelog."Item""#
        #expect(try PostgresCluster.run(count, on: address) == "200|t")
        #expect(store.connections?.waitingCount == 0)
    }

    @Test("old changes are removed, except those that a long transaction has kept from being read")
    func removal() async throws {
        let address = try PostgresCluster.makeDatabase()
        let store = try await Self.open(address)
        _ = try await store.change((0..<10).map { Self.save("i\($0)") })
        let age = { (condition: String) in
            let sql = "UPDATE tidelog_server.change SET at = at - interval '11 minutes' WHERE sequence \(condition)"
            try PostgresCluster.run(sql, on: address)
        }
        let count = { try PostgresCluster.run("SELECT count(*) FROM tidelog_server.change", on: address) }
        let removal = ChangeRemoval(ConnectionPool(try DatabaseAddress(address), DatabaseAddress.Limits()))
        try age("<= 2")
        // Transactions of other databases of the cluster count too, so a removal may have to wait for them.
        try await eventually("the first changes are gone") {
            try await removal.run()
            return try count() == "8"
        }
        let other = try Connection(DatabaseAddress(address), DatabaseAddress.Limits())
        _ = try other.transaction([SQLStatement("BEGIN"), SQLStatement("SELECT pg_current_xact_id()")])
        _ = try await store.change([Self.save("late")])
        try age("IN (3, 4, 11)")
        for _ in 0..<3 { try await removal.run() }
        #expect(try count() == "7")
        _ = try other.run(SQLStatement("COMMIT"))
        // The first reading after the transaction's end may come after this removal.
        try await removal.run()
        #expect(try count() == "7")
        try await eventually("the late change is gone") {
            try await removal.run()
            return try count() == "6"
        }
    }

    @Test("a reader for which changes were removed before it could read them fails, and a new one reads on")
    func missed() async throws {
        let address = try PostgresCluster.makeDatabase()
        let store = try await Self.open(address)
        _ = try await store.change([Self.save("a")])
        let pool = ConnectionPool(try DatabaseAddress(address), DatabaseAddress.Limits())
        let removal = ChangeRemoval(pool)
        func removeAll() async throws {
            try PostgresCluster.run("UPDATE tidelog_server.change SET at = at - interval '11 minutes'", on: address)
            try await eventually("no change is left") {
                try await removal.run()
                return try PostgresCluster.run("SELECT count(*) FROM tidelog_server.change", on: address) == "0"
            }
        }
        let follower = try await ChangeFollower.begin(pool, [:])
        var place = follower.start
        try await eventually("the place is known") {
            (_, place) = try await follower.numbers(after: place)
            return place.sequence != nil
        }
        _ = try await store.change([Self.save("b")])
        try await removeAll()
        let error = await #expect(throws: DataStoreError.self) {
            for _ in 0..<1_000 {
                (_, place) = try await follower.numbers(after: place)
                try await Task.sleep(for: .milliseconds(10))
            }
        }
        #expect(error?.code == .lagged)
        // The removal itself harms no reader that has nothing to read.
        let next = try await ChangeFollower.begin(pool, [:])
        place = next.start
        _ = try await store.change([Self.save("c")])
        var found: [Int64] = []
        try await eventually("the new change is read") {
            let (numbers, end) = try await next.numbers(after: place)
            found += numbers
            place = end
            return !found.isEmpty
        }
        #expect(found == [3])
    }
}

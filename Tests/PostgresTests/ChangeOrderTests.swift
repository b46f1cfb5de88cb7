import PostgresSupport
import TestWaiting
import Testing
import TidelogCore
import TidelogServer

@testable import TidelogPostgres

/// The reader of changes misses no change, for every order in which transactions end.
@Suite("The order of changes in PostgreSQL", .enabled(if: PostgresCluster.isInstalled))
struct ChangeOrderTests {
    private static let schema = Schema(models: [
        ModelSchema(name: "Item", fields: [FieldSchema("id", .id, isRequired: true)] + Metadata.fields)
    ])

    /// A way of reading the changes after a place. Each call returns the sequence numbers of the next changes.
    struct Cursor: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let isRight: Bool
        /// Begins to read in the database at an address.
        let begin: @Sendable (_ address: String) async throws -> @Sendable () async throws -> [Int64]

        /// A cursor that only keeps a sequence number, with a further condition for the changes.
        static func bySequence(_ name: String, where condition: String) -> Cursor {
            Cursor(testDescription: name, isRight: false) { address in
                let last = Shared<Int64>(0)
                return {
                    let found = try PostgresCluster.run(
                        "SELECT sequence FROM tidelog_server.change WHERE sequence > \(last.value) AND \(condition) "
                            + "ORDER BY sequence", on: address
                    ).split(separator: "\n").compactMap { Int64($0) }
                    last.update { $0 = found.last ?? $0 }
                    return found
                }
            }
        }

        static let all = [
            bySequence("by sequence alone", where: "true"),
            bySequence(
                "by sequence, below the oldest running transaction",
                where: "transaction < pg_snapshot_xmin(pg_current_snapshot())"),
            Cursor(testDescription: "the store's", isRight: true) { address in
                let pool = ConnectionPool(try DatabaseAddress(address), DatabaseAddress.Limits())
                let follower = try await ChangeFollower.begin(pool, [:])
                let place = Shared(follower.start)
                return {
                    let (numbers, end) = try await follower.numbers(after: place.value)
                    place.set(end)
                    return numbers
                }
            },
        ]
    }

    /// An open transaction that can write a change, on a connection of its own.
    private final class Writer {
        private let connection: Connection

        init(_ address: String) throws {
            connection = try Connection(DatabaseAddress(address), DatabaseAddress.Limits())
            // The transaction gets its number now.
            _ = try connection.transaction([SQLStatement("BEGIN"), SQLStatement("SELECT pg_current_xact_id()")])
        }

        func write() throws -> Int64 {
            let sql =
                "INSERT INTO tidelog_server.change(model, kind, record) VALUES ('Item', 'created', '{}') RETURNING sequence"
            return try connection.run(SQLStatement(sql)).int(0, 0) ?? 0
        }

        func commit() throws { _ = try connection.run(SQLStatement("COMMIT")) }
    }

    /// A cluster in which no other transaction runs: the oldest running transaction of a cluster, in whichever database it is,
    /// decides which changes a cursor may read.
    private static let quietCluster = Result { try PostgresCluster() }

    @Test(
        "transactions that end in another order than they began: both wrong cursors miss a change",
        .serialized, arguments: Cursor.all)
    func interleaved(cursor: Cursor) async throws {
        let address = try Self.quietCluster.get().makeDatabase()
        _ = try await PostgresVersionedStore(
            DatabaseAddress(address), schema: Self.schema, source: "source", tombstoneAge: 1_000)
        let read = try await cursor.begin(address)
        var written: Set<Int64> = []
        var found: [Int64] = []
        func round(_ body: () throws -> Void) async throws {
            try body()
            found += try await read()
        }
        // The later number is visible first.
        let (first, second) = (try Writer(address), try Writer(address))
        try await round { written.formUnion([try first.write(), try second.write()]) }
        try await round { try second.commit() }
        try await round { try first.commit() }
        // The transaction with the lower number takes the later sequence number and ends first.
        let (early, late) = (try Writer(address), try Writer(address))
        try await round { written.insert(try late.write()) }
        try await round { written.insert(try early.write()) }
        try await round { try early.commit() }
        try await round { try late.commit() }
        found += try await read()
        #expect(Set(found).isSubset(of: written) && Set(found).count == found.count)
        #expect((Set(found) == written) == cursor.isRight, "found \(found) of \(written.sorted())")
    }

    @Test("two stores with 16 writers: a follower of each hears every change once, and each record's versions in order")
    func concurrent() async throws {
        let address = try DatabaseAddress(PostgresCluster.makeDatabase())
        let stores = [
            try await PostgresVersionedStore(address, schema: Self.schema, source: "s", tombstoneAge: 1_000_000),
            try await PostgresVersionedStore(address, schema: Self.schema, source: "s", tombstoneAge: 1_000_000),
        ]
        let (writers, each, recordCount) = (16, 40, 5)
        let followers = try await stores.mapAsync { store in
            let changes = try await store.changes()
            return Task {
                var versions: [String: [Int64]] = [:]
                for try await change in changes {
                    guard case .string(let id)? = change.record["id"] else { continue }
                    versions[id, default: []].append(change.record.version)
                    if versions.values.reduce(0, { $0 + $1.count }) == writers * each { break }
                }
                return versions
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<writers {
                let store = stores[writer % 2]
                group.addTask {
                    for number in 0..<each {
                        let id = "r\((writer + number) % recordCount)"
                        let change = RequestedChange("Item", RecordID(id)) { _ in
                            .save(Record(model: "Item", values: ["id": .string(id)]))
                        }
                        _ = try await store.change([change])[0].get()
                    }
                }
            }
            try await group.waitForAll()
        }
        for follower in followers {
            let versions = try await follower.value
            #expect(versions.count == recordCount)
            for list in versions.values { #expect(list == Array(1...Int64(list.count))) }
        }
    }

    @Test("after a sync has begun, later changes have its time or a later one, and earlier changes are visible")
    func syncs() async throws {
        let address = try DatabaseAddress(PostgresCluster.makeDatabase())
        let writer = try await PostgresVersionedStore(
            address, schema: Self.schema, source: "s", tombstoneAge: 1_000_000)
        let reader = try await PostgresVersionedStore(
            address, schema: Self.schema, source: "s", tombstoneAge: 1_000_000)
        let times = Shared<[Int64]>([])
        let writing = Task {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<8 {
                    group.addTask {
                        for number in 0..<60 {
                            let id = "\(task)-\(number)"
                            let change = RequestedChange("Item", RecordID(id)) { _ in
                                .save(Record(model: "Item", values: ["id": .string(id)]))
                            }
                            let record = try await writer.change([change])[0].get().record
                            times.update { $0.append(record?.lastChangedAt ?? 0) }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        let seen = Shared<[(time: Int64, count: Int)]>([])
        while times.value.count < 480 {
            let time = try await reader.beginSync()
            let before = QueryPredicate.field(Metadata.lastChangedAt, .less(.int(time)))
            let page = try await reader.page(PageQuery(Record.all(of: "Item").where(before), limit: 1_000))
            seen.update { $0.append((time, page.records.count)) }
        }
        try await writing.value
        // No change with an earlier time appeared after a sync had begun.
        for (time, count) in seen.value { #expect(times.value.count { $0 < time } == count) }
        #expect(seen.value.count > 3)
    }
}

extension Array where Element: Sendable {
    fileprivate func mapAsync<Value>(_ body: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await body(element)) }
        return values
    }
}

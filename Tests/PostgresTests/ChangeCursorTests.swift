import PostgresSupport
import SeededNumbers
import TestWaiting
import Testing
import TidelogCore
import TidelogServer

@testable import TidelogPostgres

/// The reader of changes misses no change, and reads each record's changes in their order, in whichever order transactions
/// begin and end.
@Suite("Readers of changes", .enabled(if: PostgresCluster.isInstalled), .serialized)
struct ChangeCursorTests {
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
            Cursor(testDescription: "the store's", isRight: true, begin: store),
        ]

        /// The cursor of the store.
        @Sendable static func store(_ address: String) async throws -> @Sendable () async throws -> [Int64] {
            let pool = ConnectionPool(try DatabaseAddress(address), DatabaseAddress.Limits())
            let follower = try await ChangeFollower.begin(pool, [:])
            let place = Shared(follower.start)
            return {
                let (numbers, end) = try await follower.numbers(after: place.value)
                place.set(end)
                return numbers
            }
        }
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

    private static func makeDatabase() async throws -> String {
        let address = try quietCluster.get().makeDatabase()
        _ = try await PostgresVersionedStore(
            DatabaseAddress(address), schema: schema, source: "source", tombstoneAge: 1_000)
        return address
    }

    @Test(
        "transactions that end in another order than they began: both wrong cursors miss a change",
        .serialized, arguments: Cursor.all)
    func interleaved(cursor: Cursor) async throws {
        let address = try await Self.makeDatabase()
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

    @Test("a transaction with a lower number that changes a record later: its change is read later")
    func lowerNumberLater() async throws {
        let address = try await Self.makeDatabase()
        let read = try await Cursor.store(address)
        // A batch gets its number with the lock of its first record, and may then wait for another record.
        let (waiting, other, last) = (try Writer(address), try Writer(address), try Writer(address))
        var found: [Int64] = []
        let first = try last.write()
        try last.commit()
        found += try await read()
        let second = try waiting.write()
        try waiting.commit()
        found += try await read()
        try other.commit()
        try await eventually("both changes are read") {
            found += try await read()
            return found.count >= 2
        }
        #expect(found == [first, second])
    }

    @Test("every change is read once and in order, for random transactions")
    func random() async throws {
        let address = try await Self.makeDatabase()
        for seed in 0..<UInt64(40) { try await random(SeededGenerator(seed), address) }
    }

    private func random(_ seeded: SeededGenerator, _ address: String) async throws {
        var random = seeded
        var running: [(writer: Writer, written: [Int64])] = []
        // The changes that were visible before the beginning are not read.
        let old = try Writer(address)
        _ = try old.write()
        try old.commit()
        for _ in 0..<random.below(4) {
            let writer = try Writer(address)
            running.append((writer, try (0..<random.below(3)).map { _ in try writer.write() }))
        }
        let read = try await Cursor.store(address)
        var (found, committed): ([Int64], [Int64]) = ([], [])
        for _ in 0..<40 {
            let index = running.indices.randomElement(using: &random)
            switch (random.below(10), index) {
            case (0..<3, _) where running.count < 6: running.append((try Writer(address), []))
            case (3..<7, let index?): running[index].written.append(try running[index].writer.write())
            case (7..<9, let index?):
                let ended = running.remove(at: index)
                try ended.writer.commit()
                committed += ended.written
            default: found += try await read()
            }
        }
        for ended in running {
            try ended.writer.commit()
            committed += ended.written
        }
        try await eventually("all changes are read") {
            found += try await read()
            return found.count >= committed.count
        }
        #expect(found == committed.sorted())
    }
}

import PostgresSupport
import ServerSupport
import TestStores
import Testing
import Tidelog
import TidelogPostgres
import TidelogSynchronization

@testable import TidelogServer

/// The rules that every ``VersionedStore`` must follow. ``makers`` makes the stores under test. A new implementation is added
/// there.
@Suite("Versioned stores")
struct VersionedStoreTests {
    /// Makes a store for a test, in an empty directory that is removed with the store.
    struct Maker: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @Sendable (HandSetClock) async throws -> any VersionedStore
    }

    static let makers: [Maker] = logs + (PostgresCluster.isInstalled ? [postgres] : [])

    private static let postgres = Maker(testDescription: "postgres") { clock in
        try await PostgresVersionedStore(
            DatabaseAddress(PostgresCluster.makeDatabase()), schema: schema, source: "source", tombstoneAge: 1_000,
            clock: clock.read)
    }

    private static let logs: [Maker] = Adapter.all.map { adapter in
        Maker(testDescription: adapter.testDescription) { clock in
            let scratch = try Scratch()
            let store = try await DataStore.open(
                at: scratch.path(), schema: ServerModels.adding(to: schema), adapter: adapter.factory,
                configuration: DataStoreConfiguration(durability: .relaxed))
            let versions = try await LogVersionedStore(
                store, schema: schema, source: "source", tombstoneAge: 1_000, clock: clock.read)
            return withExtendedLifetime(scratch) { Kept(versions, scratch) }
        }
    }

    static let schema = Schema(models: [
        ModelSchema(
            name: "Item",
            fields: [
                FieldSchema("id", .id, isRequired: true), FieldSchema("rank", .int), FieldSchema("text", .string),
                FieldSchema(Metadata.version, .int, isRequired: true),
                FieldSchema(Metadata.lastChangedAt, .timestamp, isRequired: true),
                FieldSchema(Metadata.deleted, .bool),
            ],
            indexes: [
                IndexSchema(name: "byRank", fields: ["rank"]),
                IndexSchema(name: "byChange", fields: [Metadata.lastChangedAt]),
            ])
    ])

    private static func save(
        _ store: any VersionedStore, _ id: String, rank: Int64, name: StoredChange.Name? = nil
    ) async throws -> StoredChange.Outcome {
        try await store.change("Item", RecordID(id), name: name) { _ in
            .save(Record(model: "Item", values: ["id": .string(id), "rank": .int(rank)]))
        }
    }

    private static func delete(_ store: any VersionedStore, _ id: String) async throws -> StoredChange.Outcome {
        try await store.change("Item", RecordID(id), name: nil) { record in
            record.map { .delete($0) } ?? .keep
        }
    }

    @Test(
        "a record's version counts its changes, and its time never decreases, even if the clock is set back",
        arguments: makers)
    func versions(maker: Maker) async throws {
        let clock = HandSetClock()
        let store = try await maker.make(clock)
        var last: Int64 = 0
        for (number, step) in [0, 5, -100, 0, 1, -7, 1_000].enumerated() {
            clock.now += Int64(step)
            let outcome = try await Self.save(store, "a", rank: Int64(number))
            let record = try #require(outcome.record)
            #expect(outcome.kind == .written && record.version == Int64(number) + 1)
            #expect(record.lastChangedAt >= last && record.lastChangedAt >= clock.now)
            #expect(try await store.record("Item", "a") == record)
            last = record.lastChangedAt
        }
        #expect(try await store.beginSync() >= last)
    }

    @Test("the closure that decides a change gets the latest record, also among concurrent changes", arguments: makers)
    func decisions(maker: Maker) async throws {
        let store = try await maker.make(HandSetClock())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<25 {
                        _ = try await store.change("Item", "a", name: nil) { record in
                            var rank: Int64 = 0
                            if case .int(let number)? = record?["rank"] { rank = number }
                            return .save(Record(model: "Item", values: ["id": "a", "rank": .int(rank + 1)]))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let record = try await store.record("Item", "a")
        #expect(record?["rank"] == .int(200) && record?.version == 200)
    }

    @Test(
        "a change whose closure returns keep or throws writes nothing and does not use up its name", arguments: makers)
    func refusals(maker: Maker) async throws {
        struct Refused: Error {}
        let store = try await maker.make(HandSetClock())
        let saved = try await Self.save(store, "a", rank: 1).record
        let kept = try await store.change("Item", "a", name: StoredChange.Name("m", subject: "a", content: "c")) { _ in
            .keep
        }
        #expect(kept.kind == .kept && kept.record == saved && kept.place == nil)
        await #expect(throws: Refused.self) {
            _ = try await store.change("Item", "a", name: StoredChange.Name("m", subject: "a", content: "c")) { _ in
                throw Refused()
            }
        }
        #expect(try await store.record("Item", "a") == saved)
        // Neither attempt has used up the name.
        #expect(
            try await Self.save(store, "a", rank: 2, name: StoredChange.Name("m", subject: "a", content: "c")).kind
                == .written
        )
    }

    @Test("a change that repeats a name is not made again as long as tombstones are kept", arguments: makers)
    func named(maker: Maker) async throws {
        let clock = HandSetClock()
        let store = try await maker.make(clock)
        #expect(
            try await Self.save(store, "a", rank: 1, name: StoredChange.Name("m", subject: "a", content: "c")).kind
                == .written
        )
        let later = try await Self.save(store, "a", rank: 2).record
        let repeated = try await Self.save(
            store, "a", rank: 1, name: StoredChange.Name("m", subject: "a", content: "c"))
        #expect(repeated.kind == .repeated && repeated.record == later && repeated.place == nil)
        clock.now += 1_001
        #expect(
            try await Self.save(store, "a", rank: 1, name: StoredChange.Name("m", subject: "a", content: "c")).kind
                == .written
        )
    }

    @Test(
        "successive pages give all records in order: by key, by index in both directions, and by time",
        arguments: makers)
    func pages(maker: Maker) async throws {
        let clock = HandSetClock()
        let store = try await maker.make(clock)
        for number in 0..<40 {
            clock.now += Int64(number % 3)
            _ = try await Self.save(store, "r\(number)", rank: Int64(number % 7))
        }
        for number in stride(from: 0, to: 40, by: 4) { _ = try await Self.delete(store, "r\(number)") }
        let rank = Sort([Sort.Key("rank", isDescending: true)])
        for (predicate, sort) in [
            (QueryPredicate.all, Sort.byKey), (.all, Sort([Sort.Key("rank")])), (.all, rank),
            (.field("rank", .equal(.int(3))), .byKey), (.field("rank", .greater(.int(2))), rank),
            (
                .field(Metadata.lastChangedAt, .greaterOrEqual(.int(clock.now - 10))),
                Sort([Sort.Key(Metadata.lastChangedAt)])
            ),
        ] {
            let whole = try await store.page(
                PageQuery(Record.all(of: "Item").where(predicate).sorted(by: sort), limit: 1_000))
            #expect(whole.next == nil && !whole.records.isEmpty)
            var (found, place): ([Record], PagePlace?) = ([], nil)
            repeat {
                let page = try await store.page(
                    PageQuery(
                        Record.all(of: "Item").where(predicate).sorted(by: sort), limit: 3, place: place))
                #expect(page.records.count == 3 || page.next == nil)
                found += page.records
                place = page.next
            } while place != nil
            #expect(found == whole.records)
        }
        let all = try await store.page(PageQuery(Record.all(of: "Item"), limit: 1_000)).records
        #expect(all.count == 40 && all.count(where: \.isTombstone) == 10)
        let byRank = PageQuery(Record.all(of: "Item").where(.field("rank", .equal(.int(3)))), limit: 1)
        // PostgreSQL chooses by its statistics, which may not exist yet.
        guard maker.testDescription != "postgres" else { return }
        let hasIndexes = maker.testDescription != AdapterFactory.inMemory().name
        #expect(try await store.plan(byRank).index == (hasIndexes ? "byRank" : nil))
    }

    @Test("each change is reported once, in order, as created, updated or deleted", arguments: makers)
    func changes(maker: Maker) async throws {
        let store = try await maker.make(HandSetClock())
        _ = try await Self.save(store, "before", rank: 0)
        let changes = try await store.changes()
        let told = Task {
            var told: [String] = []
            for try await change in changes {
                told.append("\(change.kind) \(change.record["id"]?.text ?? "") \(change.record.version)")
                if told.count == 6 { break }
            }
            return told
        }
        _ = try await Self.save(store, "a", rank: 1, name: StoredChange.Name("m", subject: "a", content: "c"))
        _ = try await Self.save(store, "a", rank: 1, name: StoredChange.Name("m", subject: "a", content: "c"))
        _ = try await Self.save(store, "a", rank: 2)
        _ = try await Self.save(store, "b", rank: 1)
        _ = try await Self.delete(store, "a")
        #expect(try await store.purge(before: 0) == 0)
        _ = try await Self.save(store, "a", rank: 3)
        _ = try await Self.delete(store, "a")
        #expect(
            try await told.value == [
                "created a 1", "updated a 2", "created b 1", "deleted a 3", "created a 4", "deleted a 5",
            ])
    }

    @Test("a purge removes the tombstones and names that are older than a time", arguments: makers)
    func purge(maker: Maker) async throws {
        let clock = HandSetClock()
        let store = try await maker.make(clock)
        for id in ["a", "b", "c"] {
            _ = try await Self.save(store, id, rank: 1, name: StoredChange.Name(id, subject: id, content: "c"))
        }
        _ = try await Self.delete(store, "a")
        clock.now += 10
        let time = clock.now
        _ = try await Self.delete(store, "b")
        #expect(try await store.purge(before: time) == 1)
        #expect(try await store.record("Item", "a") == nil)
        #expect(try await store.record("Item", "b")?.isTombstone == true)
        #expect(try await store.record("Item", "c")?.isTombstone == false)
        #expect(
            try await Self.save(store, "c", rank: 2, name: StoredChange.Name("c", subject: "c", content: "c")).kind
                == .written
        )
        // The second purge removes the two tombstones that were too new for the first one or did not exist yet.
        _ = try await Self.delete(store, "c")
        clock.now += 10
        #expect(try await store.purge(before: clock.now) == 2)
        #expect(try await store.record("Item", "b") == nil)
        #expect(try await store.record("Item", "c") == nil)
    }

    @Test(
        "changes that are made together see the changes before them, and one that fails has no effect on the others",
        arguments: makers)
    func together(maker: Maker) async throws {
        struct Refused: Error {}
        let store = try await maker.make(HandSetClock())
        let name = StoredChange.Name("m", subject: "a", content: "c")
        let add: @Sendable (Int64) -> @Sendable (Record?) -> StoredChange.Decision = { number in
            { record in
                var sum = number
                if case .int(let rank)? = record?["rank"] { sum += rank }
                return .save(Record(model: "Item", values: ["id": "a", "rank": .int(sum)]))
            }
        }
        let results = try await store.change([
            RequestedChange("Item", "a", name: name, add(1)), RequestedChange("Item", "a") { _ in throw Refused() },
            RequestedChange("Item", "a", add(10)), RequestedChange("Item", "a", name: name, add(100)),
            RequestedChange("Item", "a", name: StoredChange.Name("m", subject: "b", content: "c"), add(1_000)),
            RequestedChange("Item", "a") { $0.map { .delete($0) } ?? .keep },
        ])
        #expect(results.count == 6)
        let outcomes = results.map { try? $0.get() }
        #expect(outcomes.map { $0?.kind } == [.written, nil, .written, .repeated, nil, .written])
        #expect(outcomes.map { $0?.record?["rank"] } == [.int(1), nil, .int(11), .int(11), nil, .int(11)])
        #expect(outcomes.map { $0?.record?.version } == [1, nil, 2, 2, nil, 3])
        let places = outcomes.compactMap { $0?.place }
        #expect(places.count == 3 && places == places.sorted())
        #expect(throws: Refused.self) { try results[1].get() }
        #expect(throws: StoredChange.NameTaken.self) { try results[4].get() }
        #expect(try await store.change([]).isEmpty)
    }

    @Test("a write failure for lack of space is reported until a change succeeds; a smaller write does not end it")
    func room() async throws {
        let clock = HandSetClock()
        let scratch = try Scratch()
        let store = try await DataStore.open(
            at: scratch.path(), schema: ServerModels.adding(to: Self.schema), adapter: .inMemory(),
            configuration: DataStoreConfiguration(durability: .relaxed, logQuota: 256 << 10))
        let versions = try await LogVersionedStore(
            store, schema: Self.schema, source: "source", tombstoneAge: 1_000, clock: clock.read)
        let long = String(repeating: "x", count: 16_000)
        var taken = 0
        let refusal = await #expect(throws: DataStoreError.self) {
            while taken < 100 {
                let record = Record(model: "Item", values: ["id": .string("\(taken)"), "text": .string(long)])
                _ = try await versions.change("Item", RecordID("\(taken)"), name: nil) { _ in .save(record) }
                taken += 1
            }
        }
        #expect(refusal?.code == .storageFull)
        #expect(versions.writeFailure?.code == .storageFull)
        let before = try store.head
        clock.now += 60_000
        _ = try await versions.beginSync()
        #expect(try store.head.sequence > before.sequence)
        #expect(versions.writeFailure?.code == .storageFull)
        _ = try await Self.save(versions, "short", rank: 1)
        #expect(versions.writeFailure == nil)
        try await store.close()
    }
}

/// A store, and the scratch directory that contains it.
private final class Kept: ForwardingStore {
    let store: any VersionedStore
    private let scratch: Scratch

    init(_ store: LogVersionedStore, _ scratch: Scratch) { (self.store, self.scratch) = (store, scratch) }
}

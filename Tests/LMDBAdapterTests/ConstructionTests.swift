import Testing
@_spi(Adapters) import TidelogCore
import TidelogLMDB
import TidelogSynchronization

@_spi(Adapters) @testable import TidelogLMDBAdapter

@Suite("LMDB adapter: indexes under construction")
struct ConstructionTests {
    private struct Cut: Error {}

    /// Counts the steps of a construction, and stops it after `limit` steps.
    private final class Steps: Sendable {
        private let state: Mutex<(count: Int, limit: Int)>

        init(cutAt limit: Int = .max) { state = Mutex((0, limit)) }

        var count: Int { state.withLock { $0.count } }

        func step() throws {
            try state.withLock { state in
                guard state.count < state.limit else { throw Cut() }
                state.count += 1
            }
        }
    }

    private static let fields = [FieldSchema("text", .string), FieldSchema("rank", .int)]
    private static let bare = StoredSchema(first: AdapterTests.schema(fields, []))
    private static let indexed = bare.adopting(
        AdapterTests.schema(fields, [IndexSchema(name: "byRank", fields: ["rank"])]))
    private static let rowCount = 2_000

    private let scratch: Scratch
    private let layout = SchemaLayout(indexed)
    private var query: StorageQuery {
        get throws {
            try StorageQuery(
                model: layout.models[0], predicate: .field("rank", .equal(7)), sort: .byKey, page: .all)
        }
    }

    init() throws {
        scratch = try Scratch()
        let layout = SchemaLayout(Self.bare)
        let adapter = try scratch.open()
        try adapter.write(1) { transaction in
            try transaction.prepare(layout, auxiliaryTables: [])
            try transaction.apply(
                (0..<Self.rowCount).map { .put(AdapterTests.note($0, Int64($0 % 50))) }, to: layout.models[0])
        }
        try adapter.close()
    }

    private func open(_ steps: Steps) throws -> LMDBAdapter {
        try LMDBAdapter(directory: scratch.path, isReadOnly: false, mapSize: 1 << 30, stepByteCount: 2_048) {
            try steps.step()
        }
    }

    private func construct(_ adapter: LMDBAdapter, at sequence: UInt64 = 1) throws {
        try adapter.write(sequence) { try $0.prepare(layout, auxiliaryTables: []) }
    }

    /// Begins or continues the construction, and stops it after `count` steps.
    private func cutOff(after count: Int) throws {
        let steps = Steps(cutAt: count)
        let adapter = try open(steps)
        #expect(throws: (any Error).self) { try construct(adapter) }
        #expect(steps.count == count)
        let query = try query
        try adapter.read { snapshot in
            let index = try snapshot.plan(query).index
            #expect(index == nil)
            let found = try snapshot.records(query).count
            #expect(found == Self.rowCount / 50)
        }
        try adapter.close()
    }

    private func checkIndex(_ adapter: LMDBAdapter, count: Int) throws {
        let query = try query
        let all = try StorageQuery(
            model: layout.models[0], predicate: .field("rank", .between(0, 100)), sort: .byKey, page: .all)
        let snapshot = try adapter.snapshot()
        defer { snapshot.end() }
        #expect(try snapshot.plan(query).index == "byRank")
        #expect(try snapshot.records(query).count == count)
        #expect(try snapshot.count(query) == count)
        #expect(try snapshot.plan(all).index == "byRank")
        #expect(try snapshot.count(all) == Self.rowCount)
    }

    @Test("an interrupted construction continues at its place, and no query uses the index before it is complete")
    func resumes() throws {
        try cutOff(after: 5)
        try cutOff(after: 3)
        let steps = Steps()
        let adapter = try open(steps)
        try construct(adapter)
        try checkIndex(adapter, count: Self.rowCount / 50)
        try adapter.close()

        let other = try ConstructionTests()
        let whole = Steps()
        let control = try other.open(whole)
        try other.construct(control)
        try control.close()
        #expect(whole.count > 10)
        #expect(steps.count == whole.count - 8)
    }

    @Test(
        "rows that changed after an interruption are in the complete index with their new values",
        arguments: [1, 2] as [UInt64])
    func beginsAnew(sequence: UInt64) throws {
        try cutOff(after: 5)
        let bare = SchemaLayout(Self.bare)
        let adapter = try open(Steps())
        // Three of these rows are among the first in key order, which are already in the unfinished index. One is the last.
        try adapter.write(sequence) { transaction in
            let changes = [0, 1, 10, 999].map { Change.put(AdapterTests.note($0, 7)) }
            try transaction.apply(changes, to: bare.models[0], sequence: 2)
        }
        try construct(adapter, at: 2)
        try checkIndex(adapter, count: Self.rowCount / 50 + 4)
        try adapter.close()
    }

    @Test("clearing removes everything that an interrupted construction left")
    func clears() throws {
        try cutOff(after: 5)
        let adapter = try open(Steps())
        try adapter.clear()
        try construct(adapter)
        try adapter.write(1) { transaction in
            try transaction.apply(
                (0..<Self.rowCount).map { .put(AdapterTests.note($0, Int64($0 % 50))) }, to: layout.models[0])
        }
        try checkIndex(adapter, count: Self.rowCount / 50)
        try adapter.close()
    }
}

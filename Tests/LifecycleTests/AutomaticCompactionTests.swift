import Foundation
import TestStores
import TestWaiting
import Testing
import Tidelog

@testable import TidelogCore

@Suite("Compaction by policy", .timeLimit(.minutes(5)))
struct AutomaticCompactionTests {
    private static let policy = CompactionPolicy(minimumByteCount: 64 << 10, idleTime: .milliseconds(5))

    private func open(_ scratch: Scratch, _ adapter: Adapter, _ policy: CompactionPolicy?) async throws -> DataStore {
        try await scratch.open(
            adapter, configuration: DataStoreConfiguration(durability: .relaxed, compaction: policy))
    }

    private func save(_ count: Int, of recordCount: Int, to store: DataStore) async throws {
        for start in stride(from: 0, to: count, by: 100) {
            try await store.write { tx in
                for number in start..<(start + 100) { try tx.save(item("r\(number % recordCount)", "title \(number)")) }
            }
        }
    }

    private func compacted(_ store: DataStore) async throws {
        try await eventually { try await store.metrics().floor != .zero }
        // A compaction that begins between two writes leaves some events for the next one. The next one begins a
        // thousand events later.
        try await eventually { try await store.metrics().eventCount <= 2_000 }
    }

    @Test(
        "a log whose events are mostly superseded is compacted, and compacted again after it has grown",
        arguments: Adapter.all)
    func compacts(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await open(scratch, adapter, Self.policy)
        try await save(4_000, of: 200, to: store)
        try await compacted(store)
        let floor = try await store.metrics().floor
        try await save(4_000, of: 200, to: store)
        try await eventually { try await store.metrics().floor != floor }
        try await compacted(store)
        #expect(try await store.count(Record.all(of: "Item")) == 200)
        #expect(try await store.title("r7") == "title 3807")
        try await store.close()
        let reopened = try await open(scratch, adapter, nil)
        #expect(try await reopened.verify().isWhole)
        try await reopened.close()
    }

    @Test("a store that opens with superseded events is compacted, and compacted again after a clear")
    func afterOpening() async throws {
        let scratch = try Scratch()
        let adapter = Adapter(factory: .lmdb())
        let store = try await open(scratch, adapter, nil)
        try await save(4_000, of: 200, to: store)
        #expect(try await store.metrics().floor == .zero)
        try await store.close()
        let reopened = try await open(scratch, adapter, Self.policy)
        try await compacted(reopened)
        try await reopened.clear()
        try await save(4_000, of: 200, to: reopened)
        try await compacted(reopened)
        try await reopened.close()
    }

    @Test("automatic compaction keeps the events that a consumer has not read")
    func consumers() async throws {
        let scratch = try Scratch()
        let store = try await open(scratch, Adapter(factory: .lmdb()), Self.policy)
        let consumer = try await store.consumer(named: "archive")
        try await store.save(item("first", "t"))
        let place = try store.position(of: try store.head.sequence)
        try await consumer.advance(to: place)
        try await save(4_000, of: 200, to: store)
        try await eventually { try await store.metrics().floor != .zero }
        #expect(try await store.metrics().floor <= place.sequence)
        #expect(try await store.metrics().eventCount > 4_000)
        try await store.close()
    }
}

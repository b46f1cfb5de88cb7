import Foundation
import SeededNumbers
import TestStores
import Testing
import Tidelog
import TidelogSynchronization

@testable import TidelogCore

@Suite("Reads while the store changes", .serialized, .timeLimit(.minutes(5)))
struct ConcurrentReadTests {
    struct Scene: CustomTestStringConvertible, Sendable {
        let adapter: Adapter
        let durability: Durability

        var testDescription: String { "\(adapter.factory.name) \(durability)" }

        static let all = Adapter.all.flatMap { adapter in
            [Durability.full, .relaxed].map { Scene(adapter: adapter, durability: $0) }
        }
    }

    private static let recordCount = 200

    /// The calls that readers make. In one snapshot, the number of records never changes.
    private static let reads: [@Sendable (DataStore) async throws -> Void] = [
        { _ = try await $0.count(Record.all(of: "Item")) },
        { _ = try await $0.record("Item", id: "r7") },
        { store in
            try await store.read { snapshot in
                let count = try snapshot.count(Record.all(of: "Item"))
                for _ in 0..<3 { #expect(try snapshot.fetch(Record.all(of: "Item")).count == count) }
            }
        },
        { _ = try await $0.history(of: "Item", id: "r3") },
        { _ = try await $0.metrics() },
        { store in
            let report = try await store.verify()
            #expect(report.isWhole)
        },
        { store in
            for try await event in store.events(after: .zero) where event.sequence.value >= 20 { break }
        },
    ]

    /// Starts a task for each call. The task repeats its call until the store is closed, and ignores the other errors
    /// in `end`.
    private func readers(
        _ store: DataStore, ending end: Set<DataStoreError.Code>
    ) -> [Task<Int, any Error>] {
        Self.reads.map { read in
            Task.detached {
                var count = 0
                while !Task.isCancelled {
                    do {
                        try await read(store)
                        count += 1
                    } catch let error as DataStoreError where end.contains(error.code) {
                        if error.code == .closed { return count }
                    }
                    // A read does not suspend, so the task yields to let other tasks run.
                    await Task.yield()
                }
                return count
            }
        }
    }

    private func fill(_ store: DataStore) async throws {
        try await store.write { tx in
            for number in 0..<Self.recordCount { try tx.save(item("r\(number)", "title \(number)")) }
        }
    }

    @Test(
        "a read during `close` finishes or throws `closed`, and the store can be opened again at once",
        arguments: Scene.all)
    func close(scene: Scene) async throws {
        let scratch = try Scratch()
        let configuration = DataStoreConfiguration(durability: scene.durability)
        var store = try await scratch.open(scene.adapter, configuration: configuration)
        try await fill(store)
        var random = SeededGenerator(3)
        for _ in 0..<12 {
            let tasks = readers(store, ending: [.closed])
            try await Task.sleep(for: .microseconds(Int.random(in: 0...20_000, using: &random)))
            try await store.close()
            let reopened = try await scratch.open(scene.adapter, configuration: configuration)
            for task in tasks { _ = try await task.value }
            #expect(try await reopened.count(Record.all(of: "Item")) == Self.recordCount)
            store = reopened
        }
        try await store.close()
    }

    @Test("a read during a rebuild, a compaction, a shrink or a clear finishes", arguments: Scene.all)
    func replaced(scene: Scene) async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(
            scene.adapter, configuration: DataStoreConfiguration(durability: scene.durability))
        try await fill(store)
        // Calls that follow a log end with an error when that log is replaced.
        let tasks = readers(store, ending: [.closed, .storeCleared, .lagged])
        for round in 0..<5 {
            try await store.rebuild()
            try await fill(store)
            try await store.compact(shrink: true)
            if round % 2 == 1 {
                try await store.clear()
                try await fill(store)
            }
        }
        #expect(try await store.count(Record.all(of: "Item")) == Self.recordCount)
        try await store.close()
        for task in tasks { _ = try await task.value }
        let reopened = try await scratch.open(scene.adapter)
        #expect(try await reopened.verify().isWhole)
        try await reopened.close()
    }

    @Test(
        "a snapshot that is used after its closure throws `closed`, and does not keep the store open",
        arguments: Scene.all)
    func escaped(scene: Scene) async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(
            scene.adapter, configuration: DataStoreConfiguration(durability: scene.durability))
        try await fill(store)
        let kept = try await store.read { $0 }
        let refused = #expect(throws: DataStoreError.self) { try kept.count(Record.all(of: "Item")) }
        #expect(refused?.code == .closed)
        try await store.close()
        let reopened = try await scratch.open(scene.adapter)
        #expect(try await reopened.count(Record.all(of: "Item")) == Self.recordCount)
        try await reopened.close()
    }

    @Test("the closure of a write may have the last reference to its store", arguments: Scene.all)
    func heldByClosure(scene: Scene) async throws {
        let scratch = try Scratch()
        let configuration = DataStoreConfiguration(durability: scene.durability)
        for number in 0..<8 {
            let store = try await scratch.open(scene.adapter, configuration: configuration)
            // The closure may have the last reference to the store. The writer then releases the store, because it
            // releases the closure.
            let held = Held(store)
            let generation = try store.current()
            let writer = try store.writer(of: generation)
            let write = Task.detached {
                try await writer.write { tx in
                    try tx.save(item("r\(number)", "t"))
                    withExtendedLifetime(held) {}
                }
            }
            _ = try await write.value
        }
        let last = try await scratch.open(scene.adapter, configuration: configuration)
        #expect(try await last.count(Record.all(of: "Item")) == 8)
        try await last.close()
    }

    private final class Held: Sendable {
        private let store: DataStore
        init(_ store: DataStore) { self.store = store }
    }
}

import Foundation
import TestStores
import Testing
import Tidelog

@testable import TidelogCore

@Suite("Clear")
struct ClearTests {
    @Test(
        "clear leaves an empty store with a new id and the same schema, and the store stays usable",
        arguments: Adapter.all)
    func clears(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(adapter)
        for id in 0..<50 { try await store.save(item("r\(id)", "t")) }
        let id = try store.id
        let feed = try store.current().feed
        let waiter = Task { try await feed.wait(for: SequenceNumber(1_000)) }
        try await store.clear()
        let ended = await #expect(throws: DataStoreError.self) { try await waiter.value }
        #expect(ended?.code == .storeCleared)
        #expect(try await store.count("Item") == 0)
        #expect(try store.head.sequence == SequenceNumber(1))
        #expect(try store.id != id)
        #expect(try store.schema.declared == itemSchema)
        try await store.save(item("new", "t"))
        #expect(try await store.verify().isWhole)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: scratch.path().path).sorted()
                == ["generation-2", "writer.lock"])
        try await store.clear()
        try await store.save(item("newer", "t"))
        try await store.close()
        let reopened = try await scratch.open(adapter)
        #expect(try await reopened.title("newer") == "t")
        #expect(try await reopened.count("Item") == 1)
        try await reopened.close()
    }

    @Test("a snapshot that was opened before a clear still reads the old records", arguments: Adapter.all)
    func readersFinish(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(adapter)
        for id in 0..<50 { try await store.save(item("r\(id)", "t")) }
        let snapshot = try store.openSnapshot()
        try await store.clear()
        #expect(try await store.count("Item") == 0)
        #expect(try snapshot.count("Item") == 50)
        try await store.close()
    }

    /// Clears the store. The call may fail with `storeCleared` if another task clears the store at the same time.
    private func clear(_ store: DataStore) async -> String {
        do {
            try await store.clear()
        } catch {
            #expect((error as? DataStoreError)?.code == .storeCleared)
        }
        return ""
    }

    @Test(
        "a write during a clear succeeds or fails with storeCleared, and a failed write saves no record",
        arguments: Adapter.all)
    func writesBeside(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(adapter)
        let outcomes = try await withThrowingTaskGroup(of: (String, Bool).self) { group in
            for id in 0..<40 {
                group.addTask {
                    do {
                        try await store.save(item("r\(id)", "t"))
                        return ("r\(id)", true)
                    } catch let error as DataStoreError where error.code == .storeCleared {
                        return ("r\(id)", false)
                    }
                }
                if id % 10 == 5 { group.addTask { (await clear(store), true) } }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let refused = Set(outcomes.filter { !$0.1 }.map(\.0))
        for record in try await store.records("Item") {
            guard case .string(let id)? = record["id"] else { continue }
            #expect(!refused.contains(id))
        }
        #expect(try await store.verify().isWhole)
        try await store.close()
    }

    @Test("after a clear is killed, the store opens as the whole old store or as the new store")
    func killed() async throws {
        let scratch = try Scratch()
        let store = try await scratch.open()
        try await store.save(item("a", "t"))
        try await store.close()
        let generation = scratch.path().appending(path: "generation-2.new/log")
        try FileManager.default.createDirectory(at: generation, withIntermediateDirectories: true)
        let old = try await scratch.open()
        #expect(try await old.title("a") == "t")
        #expect(!FileManager.default.fileExists(atPath: generation.path))
        try await old.backup(to: scratch.path("copy"))
        try await old.close()
        try FileManager.default.copyItem(
            at: scratch.path("copy/generation-1"), to: scratch.path().appending(path: "generation-2"))
        let new = try await scratch.open()
        #expect(try new.current().number == 2)
        #expect(!FileManager.default.fileExists(atPath: scratch.path().path + "/generation-1"))
        try await new.close()
    }
}

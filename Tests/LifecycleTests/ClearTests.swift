import Foundation
import TestStores
import TestWaiting
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
        #expect(try await store.count(Record.all(of: "Item")) == 0)
        #expect(try store.head.sequence == SequenceNumber(1))
        #expect(try store.id != id)
        #expect(try store.schema.declared == itemSchema)
        try await store.save(item("new", "t"))
        #expect(try await store.verify().isWhole)
        // A projection of the old rows may end a moment later than the call.
        try await eventually("the files of the old generation are removed") {
            try FileManager.default.contentsOfDirectory(atPath: scratch.path().path).sorted()
                == ["generation-2", "room", "writer.lock"]
        }
        try await store.clear()
        try await store.save(item("newer", "t"))
        try await store.close()
        let reopened = try await scratch.open(adapter)
        #expect(try await reopened.title("newer") == "t")
        #expect(try await reopened.count(Record.all(of: "Item")) == 1)
        try await reopened.close()
    }

    @Test("a snapshot that was opened before a clear still reads the old records", arguments: Adapter.all)
    func readersFinish(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(adapter)
        for id in 0..<50 { try await store.save(item("r\(id)", "t")) }
        let snapshot = try store.state.openSnapshot()
        try await store.clear()
        #expect(try await store.count(Record.all(of: "Item")) == 0)
        #expect(try snapshot.count(Record.all(of: "Item")) == 50)
        try await store.close()
    }

    /// Clears the store. The call may fail with `storeCleared` if another task clears the store at the same time.
    private func clear(_ store: DataStore) async {
        do {
            try await store.clear()
        } catch {
            #expect((error as? DataStoreError)?.code == .storeCleared)
        }
    }

    /// A save that was accepted.
    private struct AcceptedSave: Sendable {
        let id: String
        /// The id of the store in which the save was accepted. Each clear gives the store a new id.
        let store: StoreID
    }

    /// Saves a record. Returns `nil` if the save fails with `storeCleared`.
    private func save(_ id: String, to store: DataStore) async throws -> AcceptedSave? {
        do {
            let write = try await store.writeReturning { tx -> StoreID in
                try tx.save(item(id, "t"))
                return tx.log.metadata.store
            }
            return AcceptedSave(id: id, store: write.result)
        } catch let error as DataStoreError where error.code == .storeCleared {
            return nil
        }
    }

    @Test(
        "a write during a clear is in the store that accepted it and in no other, or fails with storeCleared",
        arguments: Adapter.all)
    func writesBeside(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(adapter)
        let accepted = try await withThrowingTaskGroup(of: AcceptedSave?.self) { group in
            for id in 0..<40 {
                group.addTask { try await save("r\(id)", to: store) }
                guard id % 10 == 5 else { continue }
                group.addTask {
                    await clear(store)
                    return nil
                }
            }
            var saves: [AcceptedSave] = []
            for try await save in group { if let save { saves.append(save) } }
            return saves
        }
        let last = try store.id
        let expected = accepted.filter { $0.store == last }.map(\.id).sorted()
        let found = try await store.fetch(Record.all(of: "Item")).map { $0["id"] }
        #expect(found == expected.map { .string($0) })
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

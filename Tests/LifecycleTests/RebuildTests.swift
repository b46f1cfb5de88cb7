import Foundation
import TestStores
import Testing
import Tidelog

@testable import TidelogCore

@Suite("Rebuild")
struct RebuildTests {
    @Test("rows are recreated while reads and writes continue", arguments: Adapter.all)
    func online(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(adapter)
        try await store.write { tx in for id in 0..<3_000 { try tx.save(item("r\(id)", "t")) } }
        let busy = Task {
            var round = 0
            while !Task.isCancelled {
                try await store.save(item("w\(round % 50)", "\(round)"))
                #expect(try await store.count(Record.all(of: "Item")) >= 3_000)
                round += 1
            }
        }
        for _ in 0..<3 { try await store.rebuild() }
        busy.cancel()
        if case .failure(let error) = await busy.result, !(error is CancellationError) { throw error }
        #expect(try await store.verify().isWhole)
        let hash = try await store.hash()
        try await store.close()
        let reopened = try await scratch.open(adapter)
        #expect(try await reopened.hash() == hash)
        if adapter.factory.isPersistent {
            let names = try FileManager.default.contentsOfDirectory(atPath: scratch.path().path + "/generation-1")
            #expect(names.sorted() == ["log", "rows-4"])
        }
        try await reopened.close()
    }

    @Test("a rebuild does not replace the rows while a reader projects events into them", arguments: Adapter.all)
    func waitsForReader(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(adapter)
        try await store.save(item("one", "1"))
        #expect(try await store.count(Record.all(of: "Item")) == 1)
        let generation = try store.current()
        let before = try generation.rows.current.adapter()
        // This stands for a reader that begins to project, before the reader looks at the log.
        try generation.rows.takeTurn()
        let rebuild = Task { try await store.rebuild() }
        try await Task.sleep(for: .milliseconds(300))
        #expect(try generation.rows.current.adapter() === before)
        generation.rows.endTurn()
        try await rebuild.value
        #expect(try generation.rows.current.adapter() !== before)
        try await store.save(item("two", "2"))
        #expect(try await store.count(Record.all(of: "Item")) == 2)
        #expect(try await store.verify().isWhole)
        try await store.close()
    }

    @Test("a rebuild can follow immediately after another rebuild", arguments: Adapter.all)
    func again(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(adapter)
        try await store.save(item("one", "1"))
        for _ in 0..<20 { try await store.rebuild() }
        #expect(try await store.verify().isWhole)
        try await store.close()
    }

    @Test("a rebuild moves a closed store to another adapter with the same content")
    func otherAdapter() async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(Adapter(factory: .lmdb()))
        var history = RandomHistory(store, seed: 9, hasServer: true)
        try await history.run(100)
        let hash = try await store.hash()
        let locked = await #expect(throws: DataStoreError.self) {
            try await StoreFiles.rebuild(at: scratch.path(), adapter: .sqlite())
        }
        #expect(locked?.code == .locked)
        try await store.close()
        for adapter in [Adapter(factory: .sqlite()), Adapter(factory: .inMemory()), Adapter(factory: .lmdb())] {
            try await StoreFiles.rebuild(at: scratch.path(), adapter: adapter.factory)
            let other = try await scratch.open(adapter)
            #expect(try await other.hash() == hash)
            #expect(try await other.verify().isWhole)
            #expect(try await other.metrics().adapter == adapter.factory.name)
            try await other.close()
        }
        let mismatch = await #expect(throws: DataStoreError.self) {
            _ = try await scratch.open(Adapter(factory: .sqlite()))
        }
        #expect(mismatch?.code == .configurationMismatch)
    }

    @Test("a rebuild moves a store to another adapter even if the given configuration is read-only")
    func configurationForReading() async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(Adapter(factory: .lmdb()))
        try await store.save(item("one", "1"))
        try await store.close()
        try await StoreFiles.rebuild(
            at: scratch.path(), adapter: .sqlite(), configuration: DataStoreConfiguration(isReadOnly: true))
        let other = try await scratch.open(Adapter(factory: .sqlite()))
        #expect(try await other.count(Record.all(of: "Item")) == 1)
        #expect(try await other.metrics().adapter == "sqlite")
        try await other.close()
    }
}

import Dispatch
import Foundation
import TestStores
import Testing
@_spi(Adapters) import Tidelog

@_spi(Adapters) @testable import TidelogCore

@Suite("An adapter that fails after an append", .timeLimit(.minutes(5)))
struct RowsRecoveryTests {
    struct Scene: CustomTestStringConvertible, Sendable {
        let adapter: Adapter
        let durability: Durability
        /// Whether each write also queries more than one record. Such a write is projected at once.
        let asks: Bool

        var testDescription: String {
            "\(adapter.factory.name) \(durability), projected \(asks ? "at once" : "later")"
        }

        static let all = Adapter.all.flatMap { adapter in
            [Durability.full, .relaxed].flatMap { durability in
                [true, false].map { Scene(adapter: adapter, durability: durability, asks: $0) }
            }
        }

        @discardableResult
        func save(_ id: String, in store: DataStore) async throws -> Commit {
            try await store.write { tx in
                if asks { _ = try tx.fetch(Record.all(of: "Item").limit(1)) }
                try tx.save(item(id, "t"))
            }
        }

        /// Saves an item repeatedly until the store refuses the save. Saves that are projected later are accepted for a
        /// while.
        func saveUntilRefused(_ id: String, in store: DataStore) async -> (last: Commit?, error: (any Error)) {
            var last: Commit?
            while true {
                do { last = try await save(id, in: store) } catch { return (last, error) }
            }
        }
    }

    private func open(_ scratch: Scratch, _ scene: Scene, _ failures: CommitFailures) async throws -> DataStore {
        try await scratch.open(
            Adapter(factory: failures.factory(scene.adapter.factory)),
            configuration: DataStoreConfiguration(durability: scene.durability))
    }

    /// Returns when a read succeeds, however long that takes.
    private func readable(_ store: DataStore) async throws {
        while true {
            do {
                _ = try await store.count(Record.all(of: "Item"))
                return
            } catch let error as DataStoreError where error.code == .projectionUnavailable {
                try await Task.sleep(for: .milliseconds(1))
            }
        }
    }

    @Test(
        "failures of the adapter fail no write, and the rows are repaired before the next write",
        arguments: Scene.all, [1, 2, 3, 5])
    func failsAFewTimes(scene: Scene, count: Int) async throws {
        let scratch = try Scratch()
        let failures = CommitFailures()
        let store = try await open(scratch, scene, failures)
        for number in 0..<6 {
            if number == 4 {
                // The rows have all events, so no timer can project events and fail before the write.
                #expect(try await store.count(Record.all(of: "Item")) == number)
                failures.fail(count)
            }
            let commit = try await scene.save("i\(number)", in: store)
            #expect(commit.eventCount == 1)
            if number == 4 {
                try await readable(store)
                #expect(failures.remaining == 0)
                #expect(try await store.title("i4") == "t")
            }
        }
        #expect(try await store.count(Record.all(of: "Item")) == 6)
        #expect(try await store.verify().isWhole)
        try await store.close()
        let reopened = try await open(scratch, scene, failures)
        #expect(try await reopened.count(Record.all(of: "Item")) == 6)
        try await reopened.close()
    }

    @Test(
        "if the adapter fails while it adds missing events, the rows are repaired for the write that reads them",
        arguments: Scene.all)
    func failsForAWrite(scene: Scene) async throws {
        let scratch = try Scratch()
        let failures = CommitFailures()
        let store = try await open(scratch, scene, failures)
        for number in 0..<10 {
            try await store.save(item("a", "\(number)"))
            failures.fail(1)
            try await store.write { tx in
                let titles = try tx.fetch(Record.all(of: "Item")).compactMap { $0["title"] }
                #expect(titles.contains(.string("\(number)")))
                try tx.save(item("b", "\(number)"))
            }
            try await readable(store)
            #expect(try await store.title("b") == "\(number)")
        }
        #expect(try await store.verify().isWhole)
        try await store.close()
    }

    @Test("if the adapter fails once during any write, that write and the next writes succeed", arguments: Scene.all)
    func failsAnywhere(scene: Scene) async throws {
        let scratch = try Scratch()
        let failures = CommitFailures()
        let store = try await open(scratch, scene, failures)
        for number in 0..<30 {
            if number % 3 == 1 {
                // Only one failure may be waiting at a time. The projection of earlier events can meet the last failure
                // after the write returns.
                if !scene.asks { try await readable(store) }
                failures.fail(1, after: number % 2)
            }
            try await store.write { tx in
                if scene.asks { _ = try tx.fetch(Record.all(of: "Item").limit(1)) }
                try tx.save(item("i\(number)", "t"))
                if number > 3 { _ = try tx.delete("Item", id: RecordID("i\(number - 3)")) }
            }
        }
        try await readable(store)
        #expect(try await store.count(Record.all(of: "Item")) == 4)
        #expect(try await store.verify().isWhole)
        try await store.close()
    }

    @Test(
        "while the adapter keeps failing, reads and writes throw an error; after its recovery no commit is lost",
        arguments: Scene.all)
    func failsForEver(scene: Scene) async throws {
        let scratch = try Scratch()
        let failures = CommitFailures()
        let store = try await open(scratch, scene, failures)
        try await scene.save("a", in: store)
        #expect(try await store.count(Record.all(of: "Item")) == 1)
        failures.fail(.max)
        let commit = try await scene.save("b", in: store)
        #expect(commit.eventCount == 1)
        let refused = await scene.saveUntilRefused("b", in: store)
        #expect((refused.error as? DataStoreError)?.code == .projectionUnavailable)
        #expect(!scene.asks || refused.last == nil)
        for _ in 0..<5 {
            let unread = await #expect(throws: DataStoreError.self) { try await store.count(Record.all(of: "Item")) }
            #expect(unread?.code == .projectionUnavailable)
            let unwritten = await #expect(throws: DataStoreError.self) { try await scene.save("c", in: store) }
            #expect(unwritten?.code == .projectionUnavailable)
        }
        #expect(try store.head.sequence == (refused.last ?? commit).last)
        failures.fail(0)
        try await readable(store)
        #expect(try await store.count(Record.all(of: "Item")) == 2)
        #expect(try await store.verify().isWhole)
        try await store.close()
    }

    @Test("a store whose adapter keeps failing can be closed, and later opens with every commit", arguments: Scene.all)
    func closesMeanwhile(scene: Scene) async throws {
        let scratch = try Scratch()
        let failures = CommitFailures()
        let store = try await open(scratch, scene, failures)
        failures.fail(.max)
        try await scene.save("a", in: store)
        try await store.close()
        failures.fail(0)
        let reopened = try await open(scratch, scene, failures)
        #expect(try await reopened.title("a") == "t")
        #expect(try await reopened.verify().isWhole)
        try await reopened.close()
    }

    @Test(
        "while the rows have no disk space, reads show every commit; with space, the same rows catch up",
        arguments: Scene.all)
    func lacksSpace(scene: Scene) async throws {
        let scratch = try Scratch()
        let failures = CommitFailures(DataStoreError(.storageFull, "The disk is full.", recovery: "Make room."))
        let store = try await open(scratch, scene, failures)
        for id in ["a", "b", "c"] { try await scene.save(id, in: store) }
        #expect(try await store.count(Record.all(of: "Item")) == 3)
        failures.fail(.max)
        try await store.write { tx in
            if scene.asks { _ = try tx.fetch(Record.all(of: "Item").limit(1)) }
            _ = try tx.delete("Item", id: "a")
            try tx.save(item("b", "changed", rank: 7))
            try tx.save(item("d", "new", rank: 7))
        }
        for round in 0..<3 {
            let refused = await scene.saveUntilRefused("c", in: store)
            #expect((refused.error as? DataStoreError)?.code == .storageFull)
            let titles = try await store.fetch(Record.all(of: "Item")).map { $0["title"] }
            #expect(titles == ["changed", "t", "new"], "round \(round)")
            #expect(try await store.title("a") == nil)
            #expect(try await store.title("b") == "changed")
            let ranked = try await store.fetch(
                Record.all(of: "Item").where(.field("rank", .equal(7))).sorted(by: Sort([.init("title")])))
            #expect(ranked.map { $0["id"] } == ["b", "d"])
            #expect(try await store.read { try $0.sequence } == store.head.sequence)
            #expect(try await store.verify().isWhole)
        }
        failures.fail(0)
        try await scene.save("later", in: store)
        #expect(try await store.title("later") == "t")
        #expect(try await store.count(Record.all(of: "Item")) == 4)
        #expect(try store.current().rows.current.failure == nil)
        #expect(try await store.verify().isWhole)
        if scene.adapter.factory.isPersistent {
            #expect(FileManager.default.fileExists(atPath: scratch.path().path + "/generation-1/rows-1"))
        }
        try await store.close()
        guard scene.adapter.factory.isPersistent else { return }
        let reopened = try await open(scratch, scene, failures)
        #expect(try await reopened.count(Record.all(of: "Item")) == 4)
        try await reopened.close()
    }

    @Test(
        "if the disk is full while damaged rows are recreated, reads and writes throw until there is space",
        arguments: Adapter.all)
    func lacksSpaceForOthers(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let failures = CommitFailures(DataStoreError(.storageFull, "The disk is full.", recovery: "Make room."))
        let scene = Scene(adapter: adapter, durability: .relaxed, asks: true)
        let store = try await open(scratch, scene, failures)
        try await scene.save("a", in: store)
        failures.fail(.max)
        let damage = DataStoreError(.damaged, "The rows are damaged.", recovery: "Recreate them.")
        let writer = try #require(try store.current().writer)
        try await writer.exclusively { $0.rows.recreate(after: damage) }
        for _ in 0..<3 {
            let error = await #expect(throws: DataStoreError.self) { try await store.count(Record.all(of: "Item")) }
            #expect(error?.code == .projectionUnavailable)
            await #expect(throws: DataStoreError.self) { try await scene.save("b", in: store) }
        }
        failures.fail(0)
        try await readable(store)
        #expect(try await store.count(Record.all(of: "Item")) == 1)
        try await store.close()
    }

    @Test(
        "if the last sync of the rows fails, the next opening recreates the rows",
        arguments: Adapter.persistent)
    func failsToSync(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let failures = CommitFailures()
        let store = try await scratch.open(Adapter(factory: failures.factory(adapter.factory)))
        try await store.save(item("one", "1"))
        #expect(try await store.count(Record.all(of: "Item")) == 1)
        failures.failSync()
        let error = await #expect(throws: DataStoreError.self) { try await store.close() }
        #expect(error?.code == .inputOutput)
        let reopened = try await scratch.open(adapter)
        #expect(try await reopened.title("one") == "1")
        let names = try FileManager.default.contentsOfDirectory(atPath: scratch.path().path + "/generation-1")
        #expect(names.sorted() == ["log", "rows-2"])
        try await reopened.close()
    }

    @Test("a read that is under way keeps its view while failed rows are repaired", arguments: Adapter.all)
    func readerAtWork(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let failures = CommitFailures()
        let scene = Scene(adapter: adapter, durability: .relaxed, asks: true)
        let store = try await open(scratch, scene, failures)
        try await scene.save("a", in: store)
        let (begun, mended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let reader = Task.detached {
            try await Blocking.run {
                let lease = try store.current().rows.current.lease()
                let snapshot = try lease.files.adapter.snapshot()
                defer { withExtendedLifetime(lease) { snapshot.end() } }
                begun.signal()
                mended.wait()
                return try snapshot.count(StorageQuery(model: store.layout.required("Item")))
            }
        }
        await withUnsafeContinuation { continuation in
            DispatchQueue.global().async {
                begun.wait()
                continuation.resume()
            }
        }
        failures.fail(1)
        try await scene.save("b", in: store)
        try await readable(store)
        #expect(try await store.count(Record.all(of: "Item")) == 2)
        mended.signal()
        #expect(try await reader.value == 1)
        #expect(try await store.verify().isWhole)
        try await store.close()
    }
}

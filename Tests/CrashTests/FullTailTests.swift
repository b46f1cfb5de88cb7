#if os(Linux)
    import FaultHarness
    import Foundation
    import TestStores
    import Testing
    import Tidelog

    @Suite("A tail on a full disk")
    struct FullTailTests {
        private static let unavailability = TemporaryFilesystem.unavailability()

        /// Opens a store whose rows are in memory, so that only the log can run out of space.
        private func open(_ directory: URL, _ durability: Durability) async throws -> DataStore {
            try await DataStore.open(
                at: directory, schema: noteSchema, adapter: .inMemory(),
                configuration: DataStoreConfiguration(durability: durability))
        }

        /// Saves notes until the disk is full. Returns the number of the first note that was not saved.
        private func fill(_ store: DataStore, from first: Int) async throws -> Int {
            var number = first
            while true {
                do {
                    try await store.save(
                        Note(id: "n\(number % 50)", title: String(repeating: "x", count: 900), rating: number))
                } catch let error as DataStoreError {
                    #expect(error.code == .storageFull, "\(error)")
                    return number
                }
                number += 1
                if number > 200_000 {
                    Issue.record("the disk is never full")
                    return number
                }
            }
        }

        private func expectLast(_ store: DataStore, _ count: Int) async throws {
            for number in max(0, count - 50)..<count {
                #expect(try await store.query(Note.self, id: "n\(number % 50)")?.rating == number)
            }
        }

        @Test(
            "a store whose tail fills the disk refuses saves, loses nothing, and has room after a compaction",
            .enabled(if: unavailability == nil, "\(unavailability ?? "")"), arguments: Durability.allCases)
        func compaction(durability: Durability) async throws {
            let disk = try TemporaryFilesystem(size: 12 << 20)
            let directory = disk.url.appendingPathComponent("store")
            let store = try await open(directory, durability)
            var count = 0
            for round in 0..<3 {
                let end = try await fill(store, from: count)
                #expect(end > count + 500, "round \(round): \(count) to \(end)")
                count = end
                try await expectLast(store, count)
                let report = try await store.compact(tombstoneAge: .zero)
                #expect(report.droppedCount > 500)
            }
            try await store.close()
            let reopened = try await open(directory, durability)
            try await expectLast(reopened, count)
            #expect(try await reopened.verify().isWhole)
            try await reopened.close()
        }

        @Test(
            "a store on a full disk closes and opens while a view in another process keeps pages from being reused",
            .enabled(if: unavailability == nil, "\(unavailability ?? "")"), arguments: Durability.allCases)
        func viewed(durability: Durability) async throws {
            let disk = try TemporaryFilesystem(size: 12 << 20)
            let directory = disk.url.appendingPathComponent("store")
            let store = try await open(directory, durability)
            for number in 0..<500 { try await store.save(Note(id: "n\(number % 50)", title: "t", rating: number)) }
            // The compaction frees many pages before the view begins. Later commits free more pages.
            _ = try await store.compact(tombstoneAge: .zero)
            let generation = directory.appendingPathComponent("generation-1").path
            let logs = try FileManager.default.contentsOfDirectory(atPath: generation).filter { $0.hasPrefix("log") }
            let log = try #require(logs.max { $0.count < $1.count })
            let viewer = try ChildProcess(StoreScene.victim, ["view", "\(generation)/\(log)"])
            let line = try viewer.readLine()
            #expect(line == "viewing")
            let count = try await fill(store, from: 500)
            try await expectLast(store, count)
            try await store.close()
            let reopened = try await open(directory, durability)
            try await expectLast(reopened, count)
            viewer.signal(SIGKILL)
            _ = try viewer.wait()
            #expect(try await reopened.compact(tombstoneAge: .zero).droppedCount > 500)
            try await reopened.save(Note(id: "after", title: "there is room"))
            #expect(try await reopened.verify().isWhole)
            try await reopened.close()
        }

        @Test(
            "a store that was killed on a full disk opens, and can be compacted",
            .enabled(if: unavailability == nil, "\(unavailability ?? "")"),
            arguments: Durability.allCases)
        func killed(durability: Durability) async throws {
            let disk = try TemporaryFilesystem(size: 12 << 20)
            let directory = disk.url.appendingPathComponent("store")
            let store = try await open(directory, durability)
            let count = try await fill(store, from: 0)
            // These files are left by a killed process. They are copied to a disk without any free space.
            let outside = try TemporaryDirectory("left")
            let left = outside.url.appendingPathComponent("store")
            try FileManager.default.copyItem(at: directory, to: left)
            try await store.close()
            let fullDisk = try TemporaryFilesystem(size: 13 << 20)
            let copy = fullDisk.url.appendingPathComponent("store")
            try FileManager.default.copyItem(at: left, to: copy)
            try Data(count: fullDisk.freeBytes()).write(to: fullDisk.url.appendingPathComponent("ballast"))
            #expect(fullDisk.freeBytes() == 0)

            let opened = try await open(copy, durability)
            try await expectLast(opened, count)
            #expect(try await opened.compact(tombstoneAge: .zero).droppedCount > 500)
            try await opened.save(Note(id: "after", title: "there is room"))
            try await expectLast(opened, count)
            #expect(try await opened.verify().isWhole)
            try await opened.close()
        }
    }
#endif

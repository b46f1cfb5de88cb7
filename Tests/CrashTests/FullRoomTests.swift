#if os(Linux)
    import FaultHarness
    import Foundation
    import TestStores
    import Testing
    import Tidelog

    @Suite("Deletions and compactions on a full disk")
    struct FullRoomTests {
        private static let unavailability = TemporaryFilesystem.unavailability()
        private static let adapters = ["lmdb", "sqlite"]
        private static let noteCount = 3_000

        private func open(_ directory: URL, _ adapter: String, isReadOnly: Bool = false) async throws -> DataStore {
            try await DataStore.open(
                at: directory, schema: noteSchema, adapter: adapter == "lmdb" ? .lmdb() : .sqlite(),
                configuration: DataStoreConfiguration(isReadOnly: isReadOnly))
        }

        private func notes(_ numbers: Range<Int>) -> [Note] {
            numbers.map { Note(id: "n\($0)", title: String(repeating: "x", count: 400), rating: $0 % 1_000) }
        }

        private func storeOfNotes(
            on disk: TemporaryFilesystem, _ adapter: String
        ) async throws -> (DataStore, directory: URL) {
            let directory = disk.url.appendingPathComponent("store")
            let store = try await open(directory, adapter)
            try await store.save(notes(0..<Self.noteCount))
            return (store, directory)
        }

        /// Writes to files until the disk has no byte left.
        private func fill(_ disk: TemporaryFilesystem) throws {
            var number = 0
            while disk.freeBytes() > 0 {
                let file = disk.url.appendingPathComponent("ballast-\(UUID().uuidString)")
                try Data(count: min(disk.freeBytes(), 8 << 20)).write(to: file)
                number += 1
                try #require(number < 100, "the disk is never full")
            }
        }

        @Test(
            "a closed store on a disk without any space is read, deleted from, compacted and then written",
            .enabled(if: unavailability == nil, "\(unavailability ?? "")"), arguments: adapters)
        func closed(adapter: String) async throws {
            let disk = try TemporaryFilesystem(size: 48 << 20)
            let (store, directory) = try await storeOfNotes(on: disk, adapter)
            try await store.close()
            try fill(disk)

            let reader = try await open(directory, adapter, isReadOnly: true)
            #expect(try await reader.count(Note.all) == Self.noteCount)
            try await reader.close()
            let writer = try await open(directory, adapter)
            try await writer.delete(Note.self, id: "n1")
            try await writer.delete(all: Note.where(Note.keys.rating >= 300))
            #expect(try await writer.count(Note.all) == Self.noteCount * 3 / 10 - 1)
            #expect(try await writer.compact(tombstoneAge: .zero).droppedCount > 2_000)
            try await writer.delete(Note.self, id: "n2")
            try await writer.save(Note(id: "after", title: "there is room"))
            #expect(try await writer.verify().isWhole)
            try await writer.close()
            let after = try await open(directory, adapter, isReadOnly: true)
            #expect(try await after.count(Note.all) == Self.noteCount * 3 / 10 - 1)
            try await after.close()
        }

        @Test(
            "an open store that filled its disk deletes, compacts, and then saves again",
            .enabled(if: unavailability == nil, "\(unavailability ?? "")"), arguments: adapters)
        func filled(adapter: String) async throws {
            let disk = try TemporaryFilesystem(size: 24 << 20)
            let directory = disk.url.appendingPathComponent("store")
            let store = try await open(directory, adapter)
            var count = 0
            for round in 0..<4 {
                while true {
                    do {
                        try await store.save(notes(count..<(count + 200)))
                        count += 200
                    } catch let error as DataStoreError {
                        #expect(error.code == .storageFull, "\(error)")
                        break
                    }
                    try #require(count < 200_000, "the disk is never full")
                }
                if round == 0 { try fill(disk) }
                let stored = try await store.count(Note.all)
                #expect(stored > 500, "round \(round)")
                // A later round may have saved a few hundred notes only, all below the bound of the round before it.
                let bound = 500 >> round
                try await expectSpace("delete \(round)") {
                    _ = try await store.delete(all: Note.where(Note.keys.rating >= bound))
                }
                try await expectSpace("compact \(round)") { _ = try await store.compact(tombstoneAge: .zero) }
                #expect(try await store.count(Note.all) < stored)
                try await expectSpace("save \(round)") {
                    try await store.save(Note(id: "after\(round)", title: "there is room"))
                }
            }
            #expect(try await store.verify().isWhole)
            try await store.close()
            let reopened = try await open(directory, adapter)
            #expect(try await reopened.query(Note.self, id: "after1") != nil)
            #expect(try await reopened.verify().isWhole)
            try await reopened.close()
        }

        private func expectSpace(_ step: String, _ body: () async throws -> Void) async throws {
            do { try await body() } catch { Issue.record("\(step): \(error)") }
        }

        @Test(
            "closing a store on a full disk keeps its rows, which the next process reads",
            .enabled(if: unavailability == nil, "\(unavailability ?? "")"), arguments: adapters)
        func closing(adapter: String) async throws {
            let disk = try TemporaryFilesystem(size: 48 << 20)
            let (store, directory) = try await storeOfNotes(on: disk, adapter)
            try fill(disk)
            try await store.close()
            try fill(disk)
            let reader = try await open(directory, adapter, isReadOnly: true)
            #expect(try await reader.count(Note.all) == Self.noteCount)
            try await reader.close()
        }
    }
#endif

internal import CAllocationCounter
import TestStores
import Testing
import Tidelog

import class Foundation.FileManager
import struct Foundation.URL

@Suite("Allocations of scans")
struct ScanAllocationTests {
    private static let rowCount = 100_000
    /// The number of blocks that a query may allocate for itself: for the plan, the compiled predicate, a cursor and
    /// the snapshot.
    private static let blocksPerQuery: UInt64 = 500

    @Test("the counter sees what this thread allocates", .enabled(if: allocation_counter_works()))
    func counterCounts() {
        let before = allocation_counter_blocks()
        let boxes = (0..<100).map { Box($0) }
        #expect(allocation_counter_blocks() - before >= 100)
        #expect(boxes.count == 100)
    }

    @Test("a row that a scan rejects allocates nothing", .enabled(if: allocation_counter_works()))
    func rejectedRows() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(
            path: "tidelog-\(UInt64.random(in: 1 ... .max))")
        defer { try? FileManager.default.removeItem(at: directory) }
        let store = try await DataStore.open(
            at: directory, schema: noteSchema, adapter: .lmdb(),
            configuration: DataStoreConfiguration(durability: .relaxed))
        for start in stride(from: 0, to: Self.rowCount, by: 10_000) {
            try await store.save(
                (start..<start + 10_000).map { number in
                    Note(id: "note-\(1_000_000 + number)", title: "Title of note number \(number)", rating: number % 7)
                })
        }
        let predicates: [ModelPredicate<Note>] = [
            Note.keys.rating > 7, Note.keys.rating == nil, Note.keys.title == "Title of no note at all",
            Note.keys.title.contains("nowhere to be found") || Note.keys.rating < 0,
        ]
        for predicate in predicates {
            let blocks = try await store.read { snapshot in
                let before = allocation_counter_blocks()
                let notes = try snapshot.fetch(Note.where(predicate))
                #expect(notes.isEmpty)
                return allocation_counter_blocks() - before
            }
            #expect(blocks < Self.blocksPerQuery, "\(blocks) blocks for \(Self.rowCount) rejected rows: \(predicate)")
        }
        // The same counter also counts a returned row, whose text needs a block.
        let (blocks, count) = try await store.read { snapshot in
            let before = allocation_counter_blocks()
            let notes = try snapshot.fetch(Note.where(Note.keys.rating < 1))
            return (allocation_counter_blocks() - before, notes.count)
        }
        #expect(count == (Self.rowCount + 6) / 7)
        #expect(blocks >= count)
        try await store.close()
    }
}

private final class Box {
    let value: Int
    init(_ value: Int) { self.value = value }
}

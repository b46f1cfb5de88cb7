import SeededNumbers
import TestStores
import Testing
import Tidelog

@Suite("History", .timeLimit(.minutes(5)))
struct HistoryTests {
    @Test("a record's history has all changes of this record and no other, across deletions, oldest first")
    func acrossDeletions() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        try await store.save(Note(id: "1", title: "a"))
        try await store.save(Note(id: "2", title: "other"))
        try await store.save(Note(id: "1", title: "b"))
        try await store.delete(Note.self, id: "1")
        let deleted = try await store.history(of: Note.self, id: "1")
        #expect(deleted.events.map(\.kind) == [.saved, .saved, .deleted])
        try await store.write { transaction in
            try transaction.save(Note(id: "1", title: "c"))
            try transaction.delete(Note.self, id: "1")
            try transaction.save(Note(id: "1", title: "d"))
        }
        for history in [
            try await store.history(of: Note.self, id: "1"),
            try await store.history(of: Note.self, id: ModelID<Note>("1")),
            try await store.history(of: "Note", id: "1"),
        ] {
            #expect(history.isComplete)
            #expect(history.events.map(\.sequence.value) == [2, 4, 5, 6, 7, 8])
            #expect(
                try history.events.map { try $0.decode(Note.self)?.title } == ["a", "b", nil, "c", nil, "d"])
        }
        let latest = try await store.history(of: Note.self, id: "1", limit: 2)
        #expect(latest.events.map(\.sequence.value) == [7, 8])
        #expect(!latest.isComplete)
        let none = try await store.history(of: Note.self, id: "3")
        #expect(none.events.isEmpty && none.isComplete)
    }

    @Test("a history whose beginning was compacted away is marked as incomplete")
    func compacted() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        for title in ["a", "b", "c", "d"] { try await store.save(Note(id: "1", title: title)) }  // Events 2 … 5.
        try await store.save(Note(id: "2", title: "whole"))
        try await store.compact(dropping: [2, 3], floor: 4)
        let cut = try await store.history(of: Note.self, id: "1")
        #expect(cut.events.map(\.sequence.value) == [4, 5])
        #expect(!cut.isComplete)
        #expect(try await store.history(of: Note.self, id: "2").isComplete)
        // The log does not show whether this record ever existed.
        #expect(try await !store.history(of: Note.self, id: "3").isComplete)
    }

    @Test("a history shows one moment: a compaction while the history is read drops none of its events")
    func besideCompaction() async throws {
        let interruption = InterruptedAdapter.Interruption()
        try await withStoreDirectory { directory in
            let store = try await DataStore.open(
                at: directory, schema: noteSchema, adapter: InterruptedAdapter.factory(interruption))
            try await store.save(Note(id: "1", title: "a"))
            try await store.save(Note(id: "1", title: "b"))
            interruption.set {
                try await store.save(Note(id: "1", title: "c"))
                try await store.compact()
            }
            let history = try await store.history(of: Note.self, id: "1")
            #expect(interruption.isOver)
            #expect(try history.events.map { try $0.decode(Note.self)?.title } == ["a", "b"])
            #expect(history.isComplete)
            let later = try await store.history(of: Note.self, id: "1")
            #expect(try later.events.map { try $0.decode(Note.self)?.title } == ["c"])
            #expect(!later.isComplete)
            try await store.close()
        }
    }

    @Test("histories agree with the log after random writes", arguments: 1...3 as ClosedRange<UInt64>)
    func agreesWithLog(seed: UInt64) async throws {
        let store = try await DataStore.inMemory(schema: itemSchema)
        var generator = SeededGenerator(seed)
        for _ in 0..<100 {
            let items = (0..<generator.below(4)).map { _ in Item.random(&generator, idCount: 12) }
            let deleted = Item.id(generator.below(12))
            try await store.write { transaction in
                try transaction.save(items)
                try transaction.delete(Item.self, id: deleted)
                try transaction.save(items.suffix(1))
            }
        }
        let events = try await read(Int(store.head.sequence.value), of: store.events(after: .zero))
        for number in 0..<12 {
            let id = RecordID(Item.id(number))
            let history = try await store.history(of: "Item", id: id)
            #expect(history.isComplete)
            #expect(history.events.map(\.sequence) == events.filter { $0.recordID == id }.map(\.sequence))
        }
    }
}

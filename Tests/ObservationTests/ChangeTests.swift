import SeededNumbers
import TestStores
import TestWaiting
import Testing
import Tidelog

@Suite("Changes", .timeLimit(.minutes(5)))
struct ChangeTests {
    @Test("observers see every commit once and in order under 8 concurrent writers")
    func everyCommitOnce() async throws {
        let store = try await DataStore.inMemory(schema: itemSchema)
        let observers = (0..<3).map { number in
            let changes = store.changes(of: Item.all)
            return Task {
                var seen: [Change<Item>] = []
                for try await change in changes {
                    seen.append(change)
                    if number == 2, seen.count % 100 == 0 { try await Task.sleep(for: .milliseconds(1)) }
                    if change.recordID == "end" { break }
                }
                return seen
            }
        }
        let commits = Shared<[Commit]>([])
        await withTaskGroup { group in
            for writer in 0..<8 {
                group.addTask {
                    var generator = SeededGenerator(UInt64(writer))
                    for _ in 0..<100 {
                        let items = (0..<(1 + generator.below(3))).map { _ in
                            Item.random(&generator, idCount: 50)
                        }
                        let note = Note(id: "\(writer)", title: "not observed")
                        let commit = try? await store.write { transaction in
                            try transaction.save(note)
                            try transaction.save(items)
                        }
                        guard let commit else {
                            Issue.record("a write failed")
                            return
                        }
                        commits.update { $0.append(commit) }
                    }
                }
            }
        }
        try await store.save(Item(id: "end"))
        let expected = commits.value.sorted { $0.first < $1.first }
        for observer in observers {
            let seen = try await observer.value
            #expect(zip(seen, seen.dropFirst()).allSatisfy { $0.sequence < $1.sequence })
            var byCommit: [SequenceNumber: Int] = [:]
            for change in seen.dropLast() { byCommit[change.commit, default: 0] += 1 }
            #expect(byCommit.keys.sorted() == expected.map(\.first))
            #expect(expected.allSatisfy { byCommit[$0.first] == $0.eventCount - 1 })
        }
    }

    @Test("an observer gets all changes after the call of observe, also if it begins to read later")
    func noGap() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        try await store.save(Note(id: "1", title: "before"))
        let typed = store.changes(of: Note.all)
        let dynamic = store.changes(of: Record.all(of: "Note"))
        try await store.save(Note(id: "2", title: "after", rating: 1))
        try await store.save(Note(id: "2", title: "after", rating: 2))
        try await store.delete(Note.self, id: "2")
        let changes = try await read(3, of: typed)
        #expect(changes.map(\.kind) == [.saved, .saved, .deleted])
        #expect(changes.map(\.isNew) == [true, false, false])
        #expect(
            changes.map(\.value) == [
                Note(id: "2", title: "after", rating: 1), Note(id: "2", title: "after", rating: 2), nil,
            ])
        #expect(changes.map(\.changedFields) == [["id", "title", "rating"], ["rating"], []])
        #expect(changes.map(\.recordID) == ["2", "2", "2"])
        #expect(changes.allSatisfy { $0.origin == .local && $0.commit == $0.sequence })
        let records = try await read(3, of: dynamic)
        #expect(records.map { $0.value?["rating"] } == [1, 2, nil])
        // A second iteration begins at the place where the first one began.
        #expect(try await read(3, of: typed) == changes)
    }

    @Test("a save that changes no field gives a change without fields and asks for no mutation", arguments: Adapter.all)
    func unchanged(_ adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await DataStore.open(at: scratch.path(), schema: noteSchema, adapter: adapter.factory)
        let changes = store.changes(of: Note.all)
        let note = Note(id: "1", title: "a", rating: 1)
        try await store.save(note)
        try await store.save(note)
        try await store.write { transaction in
            try transaction.save(note)
            try transaction.save(Note(id: "1", title: "b"))
            try transaction.save(Note(id: "1", title: "b"))
        }
        try await store.delete(Note.self, id: "1")
        try await store.save(note)
        let seen = try await read(7, of: changes)
        let fields = ["id", "title", "rating"]
        #expect(seen.map(\.changedFields) == [fields, [], [], ["title", "rating"], [], [], fields])
        #expect(seen.map(\.isNew) == [true, false, false, false, false, false, true])
        var asked: [Bool] = []
        for try await event in store.events(after: .zero) where event.model != nil {
            asked.append(event.asksForMutation)
            if asked.count == 7 { break }
        }
        #expect(asked == [true, false, false, true, false, true, true])
        try await store.close()
    }

    @Test("an observer's predicate filters saved records but not deletions, and remote changes are marked as remote")
    func predicateAndOrigin() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        let changes = store.changes(of: Note.where(Note.keys.rating > 3))
        try await store.save(Note(id: "1", title: "low", rating: 1))
        try await store.write { transaction in
            try transaction.save(
                Record(model: "Note", values: ["id": "2", "title": "high", "rating": 5]), origin: .remote)
        }
        try await store.delete(Note.self, id: "1")
        let seen = try await read(2, of: changes)
        #expect(seen.map(\.recordID) == ["2", "1"])
        #expect(seen.map(\.kind) == [.saved, .deleted])
        #expect(seen.map(\.origin) == [.remote, .local])
    }

    @Test("observing an unknown model or field fails with an error that gives the reason")
    func refused() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        #expect(await code { _ = try await read(1, of: store.changes(of: Record.all(of: "Nothing"))) } == .unknownModel)
        #expect(await code { _ = try await read(1, of: store.changes(of: Item.all)) } == .unknownModel)
        let predicate = ModelPredicate<Note>(.field("nothing", .equal(1)))
        #expect(
            await code { _ = try await read(1, of: store.changes(of: Note.where(predicate))) } == .invalidPredicate)
        #expect(
            await code { _ = try await read(1, of: store.observe(Note.where(predicate))) }
                == .invalidPredicate)
        #expect(await code { _ = try await read(1, of: store.observe(Record.all(of: "Nothing"))) } == .unknownModel)
    }
}

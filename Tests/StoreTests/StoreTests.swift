import Foundation
import TestStores
import Testing
import Tidelog

@Suite("DataStore")
struct StoreTests {
    @Test(
        "saved records can be read, queried and counted, and a deleted record is gone, also after reopening",
        arguments: Adapter.all)
    func savedIsReadBack(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await DataStore.open(at: scratch.path(), schema: noteSchema, adapter: adapter.factory)
        let commit = try await store.save(Note(id: "1", title: "Hello", rating: 5))
        #expect(commit.eventCount == 1)
        #expect(try await store.query(Note.self, id: "1") == Note(id: "1", title: "Hello", rating: 5))
        try await store.save((0..<1_000).map { Note(id: "n\($0)", title: "t\($0)", rating: $0 % 10) })
        #expect(try await store.count(Note.all) == 1_001)
        #expect(try await store.query(Note.self, where: Note.keys.rating > 7).count == 200)
        try await store.delete(Note.self, id: "1")
        #expect(try await store.query(Note.self, id: "1") == nil)
        try await store.close()
        let reopened = try await DataStore.open(at: scratch.path(), schema: noteSchema, adapter: adapter.factory)
        #expect(try await reopened.query(Note.self, id: "n7") == Note(id: "n7", title: "t7", rating: 7))
        #expect(try await reopened.count(Note.all) == 1_000)
        #expect(try await reopened.query(Note.self, where: Note.keys.rating > 7).count == 200)
        #expect(try await reopened.query(Note.self, id: "1") == nil)
        try await reopened.close()
    }

    @Test("a sequence of values is saved in order, contiguous or not, and not at all if one value is refused")
    func sequencesOfValues() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        let notes = (0..<100).map { Note(id: "\($0 % 60)", title: "t\($0)", rating: $0) }
        let whole = try await store.write { try $0.save(notes) }
        #expect(whole.eventCount == 100)
        let expected = Dictionary(notes.map { ($0.id, $0) }) { _, later in later }
        #expect(try await store.query(Note.self).allSatisfy { expected[$0.id] == $0 })
        #expect(try await store.count(Note.all) == 60)
        let apart = try await store.write { try $0.save(notes.lazy.map { Note(id: $0.id, title: "later") }) }
        #expect(apart.eventCount == 100)
        #expect(try await store.count(Note.where(Note.keys.title == "later")) == 60)
        #expect(try await store.write { try $0.save([Note]()) }.eventCount == 0)
        let refused = Note(id: String(repeating: "x", count: 300), title: "n")
        await #expect(throws: DataStoreError.self) { try await store.save([Note(id: "new", title: "n"), refused]) }
        #expect(try await store.query(Note.self, id: "new") == nil)
    }

    @Test("a condition that is false changes nothing")
    func falseCondition() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        try await store.save(Note(id: "1", title: "Hello", rating: 5))
        await #expect(throws: DataStoreError.self) {
            try await store.save(Note(id: "1", title: "Bye"), where: Note.keys.rating > 5)
        }
        #expect(try await store.query(Note.self, id: "1")?.title == "Hello")
        await #expect(throws: DataStoreError.self) {
            try await store.save(Note(id: "2", title: "Bye"), where: Note.keys.rating > 5)
        }
        try await store.save(Note(id: "2", title: "Bye"), where: .all)
        await #expect(throws: DataStoreError.self) { try await store.insert(Note(id: "2", title: "x")) }
        await #expect(throws: DataStoreError.self) { try await store.update(Note(id: "3", title: "x")) }
    }
}

@Suite("Aggregates")
struct AggregateTests {
    @Test("minimum, maximum, sum and average ignore missing values, and a sum that overflows is an error")
    func aggregates() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        #expect(try await store.fetch(Note.all.min(Note.keys.rating)) == nil)
        #expect(try await store.fetch(Note.all.average(Note.keys.rating)) == nil)
        let ratings: [Int?] = [5, nil, -3, 12, nil, 7]
        try await store.save(ratings.enumerated().map { Note(id: "\($0)", title: "t\($0)", rating: $1) })
        #expect(try await store.fetch(Note.all.min(Note.keys.rating)) == -3)
        #expect(try await store.fetch(Note.all.max(Note.keys.rating)) == 12)
        #expect(try await store.fetch(Note.all.max(Note.keys.title)) == "t5")
        #expect(try await store.fetch(Note.all.sum(Note.keys.rating)) == 21)
        #expect(try await store.fetch(Note.all.average(Note.keys.rating)) == 5.25)
        #expect(try await store.fetch(Note.where(Note.keys.rating > 5).sum(Note.keys.rating)) == 19)
        try await store.save([Note(id: "a", title: "a", rating: .max), Note(id: "b", title: "b", rating: 1)])
        await #expect(throws: DataStoreError.self) { try await store.fetch(Note.all.sum(Note.keys.rating)) }
    }
}

/// Counts the events of each kind.
private struct EventCounter: Projection {
    let name = "counter"
    let version: UInt32 = 1

    func project(_ event: Event, into table: ProjectionTable) throws {
        let kind = [event.kind.rawValue]
        let count = try table.value(for: kind)?.first ?? 0
        try table.put([count + 1], for: kind)
    }
}

@Suite("Registered projections")
struct ProjectionTests {
    private static let kinds: [UInt8] = [EventKind.saved.rawValue, EventKind.deleted.rawValue]

    private func counts(_ store: DataStore) async throws -> [UInt8?] {
        try await store.read { snapshot in
            try (Self.kinds + [EventKind.schemaChanged.rawValue]).map {
                try snapshot.projectedValue("counter", for: [$0])?.first
            }
        }
    }

    @Test(
        "a registered projection sees every event once, when it is appended and when the rows are rebuilt",
        arguments: [AdapterFactory.lmdb(), .sqlite()])
    func seeEveryEvent(_ adapter: AdapterFactory) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(
            path: "tidelog-\(UInt64.random(in: 1 ... .max))")
        defer { try? FileManager.default.removeItem(at: directory) }
        let configuration = DataStoreConfiguration(projections: [EventCounter()])
        let open = {
            try await DataStore.open(at: directory, schema: noteSchema, adapter: adapter, configuration: configuration)
        }
        var store = try await open()
        for number in 0..<5 { try await store.save(Note(id: "\(number % 3)", title: "t")) }
        try await store.delete(Note.self, id: "1")
        let counted = try await counts(store)
        #expect(counted == [5, 1, 1])
        try await store.close()
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path + "/generation-1")
        where name.hasPrefix("rows-") {
            try FileManager.default.removeItem(atPath: directory.path + "/generation-1/" + name)
        }
        store = try await open()
        #expect(try await counts(store) == counted)
        try await store.close()
    }
}

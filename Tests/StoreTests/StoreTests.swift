import Foundation
import Testing
import Tidelog

@Suite("DataStore")
struct StoreTests {
    @Test("what is saved is read back, also after closing and opening again")
    func savedIsReadBack() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        let commit = try await store.save(Note(id: "1", title: "Hello", rating: 5))
        #expect(commit.eventCount == 1)
        #expect(try await store.query(Note.self, id: "1") == Note(id: "1", title: "Hello", rating: 5))
        try await store.save((0..<1_000).map { Note(id: "n\($0)", title: "t\($0)", rating: $0 % 10) })
        #expect(try await store.count(Note.self) == 1_001)
        #expect(try await store.query(Note.self, where: Note.keys.rating > 7).count == 200)
        try await store.delete(Note.self, id: "1")
        #expect(try await store.query(Note.self, id: "1") == nil)
        try await store.close()
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

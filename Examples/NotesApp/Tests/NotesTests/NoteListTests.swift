import Testing
import Tidelog
import TidelogObservation

@testable import Notes

@Suite("Lists of notes", .timeLimit(.minutes(1)))
@MainActor
struct NoteListTests {
    @Test("the list of the best notes follows the store")
    func best() async throws {
        let store = try await SampleNotes.store()
        let notes = LiveRecords(Note.best, in: store)
        while notes.items.count < 2 { await Task.yield() }
        #expect(notes.items.map(\.title) == ["Tides", "Ebb"])

        try await store.save(Note(id: "3", title: "Flood", rating: 5))
        while notes.items.count < 3 { await Task.yield() }
        #expect(notes.items.map(\.title) == ["Tides", "Flood", "Ebb"])
    }
}

import Notes
import Testing
import Tidelog

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("Notes")
struct TourTests {
    @Test("the tour finds in the store what it put there")
    func tour() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "notes-\(UInt64.random(in: 1 ... .max))")
        defer { try? FileManager.default.removeItem(at: directory) }
        var lines: [String] = []
        try await Tour(directory: directory) { lines.append($0) }.run()
        #expect(
            lines == [
                "saved one note as event 2",
                "saved up to event 101",
                "refused: it is no draft any more",
                "unrated notes: 16",
                "note 1 is called Tides",
                "best: Note 11 (5), Note 17 (5), Note 10 (4)",
                "84 of 100 notes have a rating",
                "notes called Flood: 0",
                "notes called Flood: 1",
                "deleted 50 notes in one commit",
                "opened again: 50 notes after 172 events",
                "note 102 was saved, then deleted",
            ])
    }

    @Test("a note goes through two changes of the schema at once")
    func schemaChange() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "notes-\(UInt64.random(in: 1 ... .max))")
        defer { try? FileManager.default.removeItem(at: directory) }
        let note = try await SchemaChange.run(at: directory)
        #expect(note.count == 4 && note[0].hasPrefix("headline") && note[2].contains("5") && note[3].contains("tides"))
    }

    @Test("what the README shows runs and finds the best notes")
    func glance() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "notes-\(UInt64.random(in: 1 ... .max))")
        defer { try? FileManager.default.removeItem(at: directory) }
        #expect(try await Glance.run(at: directory) == ["Tides", "Note 5", "Note 4"])
    }
}

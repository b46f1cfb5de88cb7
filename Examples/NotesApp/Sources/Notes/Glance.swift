import Tidelog

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The code that the README of the repository shows. It saves, changes, deletes, queries and observes a few notes.
public enum Glance {
    /// Runs this code in a new store at `directory`. Returns the titles of the best notes.
    public static func run(at directory: URL) async throws -> [String] {
        let store = try await DataStore.open(at: directory, schema: Schema(models: [Note.schema]), adapter: .lmdb())

        // Each change is durable in the log when the call returns. The second is made only if the record is still a draft.
        try await store.save(Note(id: "1", title: "[Draft] Tides", rating: 3))
        try await store.save(Note(id: "1", title: "Tides", rating: 5), where: Note.keys.title.beginsWith("[Draft]"))

        // All of these changes are made, or none, with one sync of the disk. Reads in the block see them.
        try await store.write { transaction in
            for number in 2...9 {
                try transaction.save(Note(id: "\(number)", title: "Note \(number)", rating: number % 6))
            }
            try transaction.delete(all: Note.where(Note.keys.rating < 2))
        }

        // A query is a value. It can be fetched, counted, observed and deleted by.
        let best = Note.where(Note.keys.rating >= 4).sorted(by: .descending(Note.keys.rating)).limit(3)
        let titles = try await store.fetch(best).map(\.title)

        // The first result comes at once. More results come when the store changes.
        for try await result in store.observe(best) {
            print("\(result.items.count) notes at event \(result.sequence)")
            break
        }

        // The log keeps the changes that the rows no longer show.
        for event in try await store.history(of: Note.self, id: "1").events {
            print(event.sequence, event.kind, event.changedFields)
        }

        // A record as JSON, for example for another program, and back.
        let json = try RecordJSON(store.schema.declared)
        let text = try json.text(of: Record(Note(id: "1", title: "Tides", rating: 5), in: store))
        let copy = try Note(json.record("Note", from: text.utf8), in: store)
        print(text, copy.title)
        try await store.close()
        return titles
    }
}

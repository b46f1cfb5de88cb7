import Tidelog

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the repository's README shows: the whole way of a few notes.
public enum Glance {
    /// Goes that way in a new store at `directory`; returns the titles of the best notes.
    public static func run(at directory: URL) async throws -> [String] {
        let store = try await DataStore.open(at: directory, schema: Schema(models: [Note.schema]), adapter: .lmdb())

        // In the log, and durable, before it returns. The second only if the record still is a draft.
        try await store.save(Note(id: "1", title: "[Draft] Tides", rating: 3))
        try await store.save(Note(id: "1", title: "Tides", rating: 5), where: Note.keys.title.beginsWith("[Draft]"))

        // Many changes, all or nothing, one sync. Reads inside see them.
        try await store.write { transaction in
            for number in 2...9 {
                try transaction.save(Note(id: "\(number)", title: "Note \(number)", rating: number % 6))
            }
            try transaction.delete(Note.self, where: Note.keys.rating < 2)
        }

        let best = try await store.query(
            Note.self, where: Note.keys.rating >= 4, sort: .descending(Note.keys.rating), page: .first(3))

        // The first result at once, the next ones as the store changes.
        for try await result in store.observeQuery(Note.self, where: Note.keys.rating == 5) {
            print("\(result.items.count) notes at event \(result.sequence)")
            break
        }

        // The log remembers what the rows forget.
        for event in try await store.history(of: Note.self, id: "1").events {
            print(event.sequence, event.kind, event.changedFields)
        }
        try await store.close()
        return best.map(\.title)
    }
}

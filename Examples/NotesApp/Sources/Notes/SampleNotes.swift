import Tidelog

/// Notes for previews and tests.
enum SampleNotes {
    /// A new store in memory with three notes. It has no files after it is released, and nothing syncs it.
    static func store() async throws -> DataStore {
        let store = try await DataStore.inMemory(schema: Schema(models: [Note.schema]))
        try await store.save([
            Note(id: "1", title: "Tides", rating: 5), Note(id: "2", title: "Ebb", rating: 4),
            Note(id: "3", title: "[Draft] Flood", rating: 1),
        ])
        return store
    }
}

extension Note {
    /// The best notes, for the view that lists them and for its tests.
    static let best = Note.where(Note.keys.rating >= 4).sorted(by: .descending(Note.keys.rating))
}

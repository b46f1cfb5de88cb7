import Tidelog

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Shows how an app uses a store, from opening it to opening it again.
public struct Tour {
    private let directory: URL
    private let report: (String) -> Void

    /// A tour through a new store at `directory`. It calls `report` with a line about each step.
    public init(directory: URL, report: @escaping (String) -> Void) {
        self.directory = directory
        self.report = report
    }

    /// Runs all steps.
    public func run() async throws {
        let store = try await DataStore.open(at: directory, schema: Schema(models: [Note.schema]), adapter: .lmdb())
        try await save(store)
        try await change(store)
        try await query(store)
        try await observe(store)
        try await delete(store)
        try await store.close()
        try await reopen()
    }
}

extension Tour {
    private func save(_ store: DataStore) async throws {
        // When the call returns, the note is durable, because the log contains it and is synced.
        let commit = try await store.save(Note(id: "1", title: "[Draft] Tides", rating: 3))
        report("saved one note as event \(commit.last)")

        // All of these notes are saved in one commit.
        try await store.save((2...100).map { Note(id: "\($0)", title: "Note \($0)", rating: $0 % 6) })
        report("saved up to event \(try store.head.sequence)")
    }

    private func change(_ store: DataStore) async throws {
        // The note is saved only if the stored record is still a draft.
        let published = Note(id: "1", title: "Tides", rating: 5)
        try await store.save(published, where: Note.keys.title.beginsWith("[Draft]"))
        do {
            try await store.save(published, where: Note.keys.title.beginsWith("[Draft]"))
        } catch let error as DataStoreError where error.code == .conditionFailed {
            report("refused: it is no draft any more")
        }

        // All of these changes are made, or none. Reads in the block see the transaction's own writes.
        try await store.write { transaction in
            for var note in try transaction.fetch(Note.where(Note.keys.rating == 0)) {
                note.rating = nil
                try transaction.update(note)
            }
            try transaction.insert(Note(id: "101", title: "Ebb", rating: 4))
            try transaction.delete(Note.self, id: "100")
        }
        report("unrated notes: \(try await store.count(Note.where(Note.keys.rating == nil)))")
    }

    private func query(_ store: DataStore) async throws {
        let tides = try await store.query(Note.self, id: "1")
        report("note 1 is called \(tides?.title ?? "nothing")")

        let best = try await store.fetch(
            Note.where(Note.keys.rating >= 4 && Note.keys.title.contains("Note 1"))
                .sorted(by: .by(.descending(Note.keys.rating), .ascending(Note.keys.title))).limit(3))
        report("best: \(best.map { "\($0.title) (\($0.rating ?? 0))" }.joined(separator: ", "))")

        // Both counts are from the same moment.
        let (rated, all) = try await store.read { snapshot in
            (try snapshot.count(Note.where(Note.keys.rating.exists())), try snapshot.count(Note.all))
        }
        report("\(rated) of \(all) notes have a rating")
    }

    private func observe(_ store: DataStore) async throws {
        // The first result comes at once. The next one comes when a change of the store affects the result.
        var results = store.observe(Note.where(Note.keys.title == "Flood")).makeAsyncIterator()
        report("notes called Flood: \(try await results.next()?.items.count ?? 0)")
        try await store.save(Note(id: "102", title: "Flood"))
        report("notes called Flood: \(try await results.next()?.items.count ?? 0)")
    }

    private func delete(_ store: DataStore) async throws {
        try await store.delete(Note.self, id: "102")
        let commit = try await store.delete(all: Note.where(Note.keys.rating < 4))
        report("deleted \(commit.eventCount) notes in one commit")
    }

    private func reopen() async throws {
        let store = try await DataStore.open(at: directory, adapter: .lmdb())
        report("opened again: \(try await store.count(Note.all)) notes after \(try store.head.sequence) events")

        // The log still has the record that is no longer in the rows.
        let history = try await store.history(of: Note.self, id: "102")
        report("note 102 was \(history.events.map { "\($0.kind)" }.joined(separator: ", then "))")
        try await store.close()
    }
}

import ClientModels
import Observation
import TestStores
import TestWaiting
import Testing
import Tidelog
import TidelogObservation

@Suite("Live records", .timeLimit(.minutes(5)))
@MainActor
struct LiveRecordsTests {
    @Test("withObservationTracking sees every change once, in order", arguments: Adapter.all)
    func tracking(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await DataStore.open(
            at: scratch.path(), schema: noteSchema, adapter: adapter.factory,
            configuration: DataStoreConfiguration(durability: .relaxed))
        let frames = ManualFrames()
        let records = LiveRecords(Note.all.sorted(by: .ascending(Note.keys.rating)), in: store, pacing: frames.pacing)
        let watcher = Watcher { records.items.map(\.id) }
        for number in 1...20 {
            try await store.save(notes(number...number))
            try await frames.draw()
            try await eventually("the observer sees note \(number)") { watcher.seen.last?.count == number }
        }
        #expect(watcher.seen.drop { $0.count < 2 } == (2...20).map { last in (1...last).map { "\($0)" } }[...])
        // The first result may be empty, or have the first note.
        #expect(watcher.seen.count == 21)
        try await store.close()
    }

    @Test("Observations sees every change once, in order")
    func observations() async throws {
        guard #available(macOS 26, iOS 26, *) else { return }
        let store = try await DataStore.inMemory(schema: noteSchema)
        let records = LiveRecords(Note.all.sorted(by: .ascending(Note.keys.rating)), in: store)
        try await records.live()
        let seen = Shared<[Int]>([])
        let observer = Task {
            // Swift 6.3 crashes if the closure says that it is isolated to the main actor, which it is without saying so.
            for await count in Observations({ records.items.count }) {
                seen.update { $0.append(count) }
                if count == 30 { break }
            }
        }
        for number in 1...30 {
            try await eventually("the observer sees the notes so far") { seen.value.last == number - 1 }
            try await store.save(notes(number...number))
        }
        await observer.value
        #expect(seen.value == Array(0...30))
    }

    @Test("a result's items, phase and state become visible in one turn, with one notification")
    func turn() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        let frames = ManualFrames()
        let records = LiveRecords(Note.all, in: store, pacing: frames.pacing)
        try await records.live()
        let watcher = Watcher { "\(records.items.count) \(records.isSynced) \(records.phase.name)" }
        try await store.save(notes(1...3))
        try store.setSynced(true, model: "Note")
        try await frames.draw()
        try await eventually("the result is shown") { records.isSynced }
        try await store.save(notes(4...4))
        try store.setSynced(false, model: "Note")
        try await frames.draw()
        try await eventually("the next result is shown") { watcher.seen.count == 3 }
        #expect(watcher.seen == ["0 false live", "3 true live", "4 false live"])
    }

    @Test("a change of the sync state alone does not notify the observers of the items")
    func stateAlone() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        try await store.save(notes(1...3))
        let frames = ManualFrames()
        let records = LiveRecords(Note.all, in: store, pacing: frames.pacing)
        try await records.live()
        let (items, states) = (Watcher { records.items.count }, Watcher { records.isSynced })
        for isSynced in [true, false, true] {
            try store.setSynced(isSynced, model: "Note")
            try await frames.draw()
            try await eventually("the state is seen") { states.seen.last == isSynced }
        }
        #expect(states.seen == [false, true, false, true] && items.seen == [3])
    }

    @Test("a new predicate or page replaces the query, and the records of the old query are no longer followed")
    func replaces() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        try await store.save(notes(1...9))
        let records = LiveRecords(Note.where(Note.keys.rating <= 2), in: store)
        try await eventually("the first query has a result") { records.items.count == 2 }
        records.query = Note.where(Note.keys.rating >= 7)
        #expect(records.phase.name == "loading" && records.items.count == 2)
        try await eventually("the second query has a result") { records.items.map(\.id) == ["7", "8", "9"] }
        records.query = records.query.sorted(by: .descending(Note.keys.rating)).limit(2)
        try await eventually("the page is shown") { records.items.map(\.id) == ["9", "8"] }
        let watcher = Watcher { records.items.map(\.id) }
        try await store.save(Note(id: "1", title: "changed", rating: 1))
        try await store.save(Note(id: "0", title: "best", rating: 10))
        try await eventually("the page follows the store") { watcher.seen.last == ["0", "9"] }
        #expect(watcher.seen.count == 2)
    }

    @Test("many queries in a row show the result of the last one alone")
    func typing() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        try await store.save(notes(1...100))
        let records = LiveRecords(Note.where(Note.keys.rating == 0), in: store)
        let watcher = Watcher { records.items.map(\.id) }
        for rating in 1...100 { records.query = Note.where(Note.keys.rating == rating) }
        try await records.live()
        try await eventually("the last query has a result") { watcher.seen.last == ["100"] }
        #expect(watcher.seen == [[], ["100"]])
    }

    @Test("an equal query changes nothing, and another query with equal records does not notify observers of the items")
    func equal() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        try await store.save(notes(1...3))
        let records = LiveRecords(Note.where(Note.keys.rating <= 5), in: store)
        try await records.live()
        let (items, phases) = (Watcher { records.items.count }, Watcher { records.phase.name })
        records.query = Note.where(Note.keys.rating <= 5)
        #expect(records.phase.name == "live")
        records.query = Note.where(Note.keys.rating < 6)
        try await eventually("the other query has a result") { phases.seen.last == "live" && phases.seen.count > 1 }
        try await store.save(notes(4...4))
        try await eventually("the change is seen") { items.seen.last == 4 }
        #expect(items.seen == [3, 4])
    }

    @Test("dynamic records are shown and followed as the records of a model are")
    func dynamic() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        try await store.save(notes(1...2))
        let records = LiveRecords(Record.all(of: "Note"), in: store)
        try await eventually("dynamic records are shown") { records.items.map { $0["id"] } == ["1", "2"] }
        try await store.save(notes(3...3))
        try await eventually("their changes are shown") { records.items.count == 3 }
        records.query = Record.all(of: "Note").where(.field("rating", .greater(2)))
        try await eventually("another query replaces the first") { records.items.map { $0["title"] } == ["Note 3"] }
    }

    @Test("a change of an included record notifies observers, although the records of the model themselves are equal")
    func including() async throws {
        let store = try await DataStore.inMemory(schema: .blog)
        try await store.save(Blog(id: "b", name: "Tides"))
        try await store.save(Author(id: "a", name: "Ann"))
        let records = LiveRecords(Blog.all, in: store)
        try await records.live()
        let watcher = Watcher { records.items.map(\.name) }
        records.query = Blog.all.including(Blog.keys.posts)
        try await eventually("the query with the relation is shown") { watcher.seen.count == 2 }
        try await store.save(Post(id: "p", title: "Ebb", keywords: [], blogPostsId: "b", authorPostsId: "a"))
        try await eventually("the change of the relation is shown") { watcher.seen.count == 3 }
        #expect(watcher.seen == [["Tides"], ["Tides"], ["Tides"]])
        var titles: [String] = []
        if let blog = records.items.first { for try await post in blog.posts { titles.append(post.title) } }
        #expect(titles == ["Ebb"])
    }

    @Test("a query that includes another relation replaces the records, although no row is different")
    func otherRelation() async throws {
        let store = try await DataStore.inMemory(schema: .blog)
        try await store.save(Author(id: "a", name: "Ann"))
        try await store.save(Post(id: "p", title: "Ebb", keywords: [], authorPostsId: "a"))
        let records = LiveRecords(Post.all.including(Post.keys.comments), in: store)
        try await records.live()
        let watcher = Watcher { records.items.map(\.title) }
        records.query = Post.all.including(Post.keys.tags)
        try await eventually("the records with the other relation are shown") { watcher.seen.count == 2 }
    }
}

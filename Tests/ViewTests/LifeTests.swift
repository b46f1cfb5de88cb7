import TestStores
import TestWaiting
import Testing
import Tidelog
import TidelogObservation
import TidelogSynchronization

@Suite("The life of live records", .timeLimit(.minutes(5)))
@MainActor
struct LifeTests {
    @Test("an object without a store is idle, and an object with a store loads and is then live")
    func phases() async throws {
        let records = LiveRecords(Note.all)
        #expect(records.phase.name == "idle" && records.items.isEmpty && !records.isSynced && records.error == nil)
        let watcher = Watcher { records.phase.name }
        let store = try await DataStore.inMemory(schema: noteSchema)
        try await store.save(notes(1...2))
        records.store = store
        #expect(records.phase.name == "loading")
        try await records.live()
        #expect(records.items.count == 2)
        records.store = nil
        #expect(records.phase.name == "idle" && records.items.isEmpty)
        try await eventually("the observer sees the last phase") {
            watcher.seen.last == "idle" && watcher.seen.count > 1
        }
    }

    @Test("an error ends the reading and keeps the items, and another query or another try begins again")
    func failure() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        try await store.save(notes(1...2))
        let records = LiveRecords(Record.all(of: "Note"), in: store)
        try await records.live()
        records.query = Record.all(of: "Nobody")
        try await eventually("the query fails") { records.phase.name == "failed" }
        #expect((records.error as? DataStoreError)?.code == .unknownModel && records.items.count == 2)
        records.retry()
        #expect(records.phase.name == "loading" && records.error == nil)
        try await eventually("the query fails again") { records.phase.name == "failed" }
        records.query = Record.all(of: "Note").limit(1)
        try await eventually("the other query has a result") { records.items.count == 1 }
        records.retry()
        #expect(records.phase.name == "live")
        try await store.close()
        try await eventually("the end of the store is shown") { records.phase.name == "failed" }
        #expect((records.error as? DataStoreError)?.code == .closed && records.items.count == 1)
    }

    @Test("an object continues with the records of a store that was cleared")
    func clear() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        try await store.save(notes(1...3))
        let records = LiveRecords(Note.all, in: store)
        try await eventually("the notes are shown") { records.items.count == 3 }
        try await store.clear()
        try await eventually("the cleared store is shown") { records.items.isEmpty }
        try await store.save(notes(7...7))
        try await eventually("new notes are shown") { records.items.map(\.id) == ["7"] }
        #expect(records.phase.name == "live")
    }

    @Test("a change of the store removes the records of the previous store at once")
    func stores() async throws {
        let (first, second) = (
            try await DataStore.inMemory(schema: noteSchema), try await DataStore.inMemory(schema: noteSchema)
        )
        try await first.save(notes(1...3))
        try await second.save(notes(1...3))
        let records = LiveRecords(Note.all, in: first)
        try await eventually("the notes are shown") { records.items.count == 3 }
        records.store = second
        #expect(records.items.isEmpty)
        try await eventually("the other store's notes are shown") { records.items.count == 3 }
        try await first.save(notes(4...4))
        try await second.save(notes(5...5))
        try await eventually("the other store is followed") { records.items.map(\.id) == ["1", "2", "3", "5"] }
    }

    @Test("a view that declares the same query again leaves a query that was assigned, and a new query replaces it")
    func follows() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        let records = LiveRecords(Note.all)
        records.follow(Note.all, in: store)
        #expect(records.store === store && records.phase.name == "loading")
        let assigned = Note.where(Note.keys.rating > 3)
        records.query = assigned
        records.follow(Note.all, in: store)
        #expect(records.query == assigned)
        records.follow(Note.all.limit(3), in: store)
        #expect(records.query == Note.all.limit(3))
        try await records.live()
        records.follow(Note.all.limit(3), in: nil)
        #expect(records.phase.name == "idle" && records.query == Note.all.limit(3))
    }

    @Test("10,000 objects that are released leave no object, no task and no reference to their store")
    func leaks() async throws {
        let tasks = Counter()
        var store: DataStore? = try await DataStore.inMemory(schema: noteSchema)
        weak let released = store
        try await store?.save(notes(1...3))
        var objects: [LiveRecords<Note>] = []
        for number in 0..<10_000 {
            let token = tasks.token()
            // Some objects are released before their first result, some while they wait for a frame or for a change.
            let pacing = FramePacing {
                defer { withExtendedLifetime(token) {} }
                if number % 2 == 0 { try await Task.sleep(for: .seconds(3_600)) }
            }
            objects.append(LiveRecords(Note.all, in: store, pacing: pacing))
            if number % 500 == 0 { await Task.yield() }
        }
        #expect(tasks.count == 10_000)
        try await eventually("half of the objects are live") {
            objects.count { $0.phase.name == "live" } > 5_000
        }
        let observers = objects.map(WeakReference.init)
        objects = []
        #expect(observers.allSatisfy { $0.object == nil })
        try await eventually("every task has ended") { tasks.count == 0 }
        try await store?.save(notes(4...4))
        try await store?.close()
        store = nil
        try await eventually("the store is released") { released == nil }
    }
}

/// Counts objects that exist at this moment.
private final class Counter: Sendable {
    final class Token: Sendable {
        private let counter: Counter
        fileprivate init(_ counter: Counter) { self.counter = counter }
        deinit { counter.number.withLock { $0 -= 1 } }
    }

    private let number = Mutex(0)
    var count: Int { number.withLock { $0 } }

    func token() -> Token {
        number.withLock { $0 += 1 }
        return Token(self)
    }
}

private struct WeakReference {
    weak var object: LiveRecords<Note>?
    init(_ object: LiveRecords<Note>) { self.object = object }
}

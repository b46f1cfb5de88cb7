import TestStores
import TestWaiting
import Testing
import Tidelog

@testable import TidelogCore

@Suite("Live queries and the sync state of their models", .timeLimit(.minutes(5)))
struct LiveSyncedTests {
    @Test(
        "a change of the model's sync state gives a result with the same items, and later results keep the state",
        arguments: ["memory", "lmdb", "sqlite"])
    func follows(adapter: String) async throws {
        try await withStore(adapter, itemSchema) { store in
            try await store.save(Note(id: "1", title: "a"))
            var results = store.observe(Note.all).makeAsyncIterator()
            let first = try #require(try await results.next())
            #expect(!first.isSynced && first.items.map(\.id) == ["1"])
            try store.setSynced(true, model: "Note")
            let second = try #require(try await results.next())
            #expect(second == LiveResult(items: first.items, sequence: first.sequence, isSynced: true))
            try await store.save(Note(id: "2", title: "b"))
            let third = try #require(try await results.next())
            #expect(third.isSynced && third.items.map(\.id) == ["1", "2"])
            try store.setSynced(false, model: "Note")
            #expect(
                try await results.next() == LiveResult(items: third.items, sequence: third.sequence, isSynced: false))
            // A query that begins later reports the current state at once.
            try store.setSynced(true, model: "Note")
            let later = try await read(1, of: store.observe(Record.all(of: "Note").limit(1)))
            #expect(later.map(\.isSynced) == [true])
        }
    }

    @Test("a change of the sync state alone wakes a waiting receiver", arguments: ["memory", "lmdb", "sqlite"])
    func wakes(adapter: String) async throws {
        try await withStore(adapter, itemSchema) { store in
            let seen = Shared<[Bool]>([])
            let observer = Task {
                for try await result in store.observe(Note.all) { seen.update { $0.append(result.isSynced) } }
            }
            for count in 1...10 {
                try await eventually("the state is reported") { seen.value.count == count }
                try store.setSynced(count % 2 == 1, model: "Note")
            }
            try await eventually("the last state is reported") { seen.value.count == 11 }
            observer.cancel()
            try await observer.value
            #expect(seen.value == (0...10).map { $0 % 2 == 1 })
        }
    }

    @Test("an equal state or another model's state gives no result, and changes coalesce while the receiver is busy")
    func coalesces() async throws {
        let store = try await DataStore.inMemory(schema: itemSchema)
        var results = store.observe(Note.all).makeAsyncIterator()
        #expect(try await results.next()?.isSynced == false)
        try store.setSynced(true, model: "Item")
        try store.setSynced(false, model: "Note")
        for _ in 0..<100 {
            try store.setSynced(true, model: "Note")
            try store.setSynced(false, model: "Note")
        }
        try await store.save(Note(id: "1", title: "a"))
        let saved = try await results.next()
        #expect(saved?.isSynced == false && saved?.items.count == 1)
        // A state that changes back before the next result does not count as a change. A difference that stays is
        // reported once.
        for number in 0..<100 {
            try store.setSynced(number % 2 == 0, model: "Note")
            try await store.save(Note(id: "\(number)", title: "b"))
        }
        try store.setSynced(true, model: "Note")
        let last = try await results.next()
        #expect(last?.isSynced == true && last?.items.count == 100)
        #expect(try last?.sequence == store.head.sequence)
    }

    @Test("a result that is marked as synced has all records that were saved before the state was set")
    func order() async throws {
        try await withStore("lmdb", itemSchema) { store in
            let observers = (0..<4).map { index in
                Task {
                    var syncedCounts: [Int] = []
                    for try await result in store.observe(Note.all) {
                        if result.isSynced { syncedCounts.append(result.items.count) }
                        if result.items.count == 400, result.isSynced { break }
                        if index % 2 == 0 { await Task.yield() }
                    }
                    return syncedCounts
                }
            }
            // Whenever the model is synced, the number of records is even.
            for number in 0..<200 {
                try await store.save(Note(id: "\(number) a", title: "t"))
                try await store.save(Note(id: "\(number) b", title: "t"))
                try store.setSynced(true, model: "Note")
                if number % 3 == 0 { try await Task.sleep(for: .milliseconds(1)) }
                if number < 199 { try store.setSynced(false, model: "Note") }
            }
            for observer in observers {
                let counts = try await observer.value
                #expect(counts.last == 400)
                #expect(counts.allSatisfy { $0 % 2 == 0 }, "\(counts)")
            }
        }
    }

    @Test("clearing the store or opening it again resets the sync state")
    func forgets() async throws {
        try await withStoreDirectory { directory in
            var store = try await DataStore.open(at: directory, schema: noteSchema, adapter: .lmdb())
            try store.setSynced(true, model: "Note")
            #expect(try await read(1, of: store.observe(Note.all)).map(\.isSynced) == [true])
            var results = store.observe(Note.all).makeAsyncIterator()
            _ = try await results.next()
            try await store.clear()
            #expect(await code { _ = try await results.next() } == .storeCleared)
            #expect(try await read(1, of: store.observe(Note.all)).map(\.isSynced) == [false])
            try store.setSynced(true, model: "Note")
            try await store.close()
            store = try await DataStore.open(at: directory, schema: noteSchema, adapter: .lmdb())
            #expect(try await read(1, of: store.observe(Note.all)).map(\.isSynced) == [false])
            try await store.close()
        }
    }

    @Test("a read-only store neither sees nor sets the sync state", arguments: ["lmdb", "sqlite"])
    func readers(adapter: String) async throws {
        try await withStoreDirectory { directory in
            let factory: AdapterFactory = adapter == "lmdb" ? .lmdb() : .sqlite()
            let store = try await DataStore.open(at: directory, schema: noteSchema, adapter: factory)
            try await store.save(Note(id: "1", title: "a"))
            try store.setSynced(true, model: "Note")
            #expect(await code { try store.setSynced(true, model: "Nobody") } == .unknownModel)
            try await store.close()
            #expect(await code { try store.setSynced(true, model: "Note") } == .closed)
            let reader = try await DataStore.open(
                at: directory, adapter: factory, configuration: DataStoreConfiguration(isReadOnly: true))
            #expect(await code { try reader.setSynced(true, model: "Note") } == .readOnly)
            let result = try await read(1, of: reader.observe(Note.all))
            #expect(result.map(\.isSynced) == [false] && result.first?.items.count == 1)
            try await reader.close()
        }
    }
}

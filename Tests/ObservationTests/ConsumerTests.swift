import TestStores
import Testing
import Tidelog

@Suite("Consumers", .timeLimit(.minutes(5)))
struct ConsumerTests {
    @Test("a consumer continues at its position after the store was opened again")
    func survivesReopening() async throws {
        try await withStoreDirectory { directory in
            var store = try await DataStore.open(at: directory, schema: noteSchema, adapter: .inMemory())
            try await store.save([Note(id: "1", title: "a"), Note(id: "2", title: "b")])
            var consumer = try await store.consumer(named: "search")
            #expect(try consumer.position == .start)
            let events = try await read(3, of: consumer.events())
            try await consumer.advance(to: events[1].position)
            // A task that follows the log does not prevent the files from being opened again.
            let followers = [store].map { store in Task { try await read(.max, of: store.events(after: .zero)) } }
            try await store.close()
            store = try await DataStore.open(at: directory, schema: noteSchema, adapter: .inMemory())
            for follower in followers { #expect(await code { _ = try await follower.value } == .closed) }
            #expect(await code { _ = try consumer.position } == .closed)
            #expect(await code { try await consumer.advance(to: events[2].position) } == .closed)
            consumer = try await store.consumer(named: "search")
            #expect(try consumer.position == events[1].position)
            #expect(try await read(1, of: consumer.events()).map(\.sequence.value) == [3])
            try await store.close()
        }
    }

    @Test("a consumer moves only forward, and only to positions of its own log")
    func refusals() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        let other = try await DataStore.inMemory(schema: noteSchema)
        for number in 0..<4 {
            try await store.save(Note(id: "\(number)", title: "a"))
            try await other.save(Note(id: "\(number)", title: "b"))
        }
        let consumer = try await store.consumer(named: "a.b-c_9")
        let events = try await read(5, of: store.events(after: .zero))
        let foreign = try await read(4, of: other.events(after: .zero))
        try await consumer.advance(to: events[2].position)
        try await consumer.advance(to: events[2].position)
        #expect(await code { try await consumer.advance(to: events[1].position) } == .invalidPosition)
        #expect(await code { try await consumer.advance(to: foreign[3].position) } == .invalidPosition)
        let beyond = Position(sequence: SequenceNumber(6), chain: events[4].position.chain)
        #expect(await code { try await consumer.advance(to: beyond) } == .invalidPosition)
        #expect(try consumer.position == events[2].position)
        for name in ["", "a b", "ä", "outbox", String(repeating: "x", count: 65)] {
            #expect(await code { _ = try await store.consumer(named: name) } == .invalidValue)
            #expect(
                await code { try await store.write { try $0.moveConsumer(name, to: events[2].position) } }
                    == .invalidValue)
        }
    }

    @Test("a write and a consumer's move in one transaction are committed together or not at all")
    func movesWithWrite() async throws {
        struct Refusal: Error {}
        let store = try await DataStore.inMemory(schema: noteSchema)
        try await store.save(Note(id: "1", title: "a"))
        let head = try store.head
        let consumer = try await store.consumer(named: "relay")
        await #expect(throws: Refusal.self) {
            try await store.write { transaction in
                try transaction.moveConsumer("relay", to: head)
                try transaction.save(Note(id: "2", title: "b"))
                throw Refusal()
            }
        }
        #expect(try consumer.position == .start)
        try await store.write { transaction in
            try transaction.moveConsumer("relay", to: head)
            try transaction.save(Note(id: "2", title: "b"))
        }
        #expect(try consumer.position == head)
    }

    @Test("consumers are listed with their lag, the outbox since the store's creation, until they are removed")
    func listing() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        #expect(try await store.metrics().consumers == [ConsumerStatus(name: "outbox", position: .start, lag: 1)])
        try await store.save(Note(id: "1", title: "a"))
        let late = try await store.consumer(named: "late", startingAfter: store.head)
        _ = try await store.consumer(named: "all")
        try await store.save(Note(id: "2", title: "b"))
        #expect(try await store.metrics().consumers.map(\.name) == ["all", "late", "outbox"])
        #expect(try await store.metrics().consumers.map(\.lag) == [3, 1, 3])
        #expect(try await read(1, of: late.events()).map(\.sequence.value) == [3])
        try await store.consumer(named: "late").remove()
        #expect(try await store.metrics().consumers.map(\.name) == ["all", "outbox"])
        let head = try store.head
        #expect(await code { try await late.advance(to: head) } == .notFound)
        #expect(await code { _ = try await read(1, of: late.events()) } == .notFound)
    }

    @Test("on a compacted log, a new consumer gets the kept events, and a consumer below the floor has lagged")
    func compacted() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        for number in 0..<9 { try await store.save(Note(id: "\(number % 2)", title: "\(number)")) }  // Events 2 … 10.
        let lapsed = try await store.consumer(named: "lapsed")
        let events = try await read(10, of: store.events(after: .zero))
        try await lapsed.advance(to: events[2].position)
        try await store.compact(dropping: [2, 3, 4, 5], floor: 7)
        #expect(await code { _ = try await read(1, of: lapsed.events()) } == .lagged)
        #expect(await code { try await lapsed.advance(to: events[8].position) } == .lagged)
        let new = try await store.consumer(named: "new")
        #expect(try await read(6, of: new.events()).map(\.sequence.value) == [1, 6, 7, 8, 9, 10])
        try await new.advance(to: events[5].position)
        #expect(try new.position == .start)
        try await new.advance(to: events[6].position)
        #expect(try new.position == events[6].position)
        #expect(try await read(3, of: new.events()).map(\.sequence.value) == [8, 9, 10])
    }
}

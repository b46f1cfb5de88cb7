import TestStores
import Testing
import Tidelog

@testable import TidelogCore

@Suite("Events", .timeLimit(.minutes(5)))
struct EventStreamTests {
    @Test("a reader of the log gets every event of 10,000 concurrent commits once, in order")
    func followsConcurrentCommits() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        let readers = (0..<2).map { _ in
            Task { try await read(10_001, of: store.events(after: .zero)) }
        }
        await withTaskGroup { group in
            for writer in 0..<8 {
                group.addTask {
                    for number in 0..<1_250 {
                        _ = try? await store.save(Note(id: "\(writer)-\(number)", title: "t", rating: number))
                    }
                }
            }
        }
        for reader in readers {
            let events = try await reader.value
            #expect(events.map(\.sequence.value) == Array(1...10_001))
            #expect(events[0].kind == .schemaChanged)
            #expect(events.dropFirst().allSatisfy { $0.isLastInCommit && $0.commit == $0.sequence })
            #expect(Set(events.dropFirst().compactMap(\.recordID)).count == 10_000)
        }
    }

    @Test("a reader continues after a position without gaps, and refuses a position of another log")
    func positions() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        let other = try await DataStore.inMemory(schema: noteSchema)
        try await store.save([Note(id: "1", title: "a"), Note(id: "2", title: "b")])
        try await other.save([Note(id: "1", title: "x"), Note(id: "2", title: "y")])
        let events = try await read(3, of: store.events(after: Position.start))
        #expect(events.map(\.isLastInCommit) == [true, false, true])
        let rest = try await read(1, of: store.events(after: events[1].position))
        #expect(rest[0].record?["title"] == "b")
        let foreign = try await read(2, of: other.events(after: .zero))[1].position
        #expect(await code { _ = try await read(1, of: store.events(after: foreign)) } == .invalidPosition)
        let beyond = Position(sequence: SequenceNumber(9), chain: 1)
        #expect(await code { _ = try await read(1, of: store.events(after: beyond)) } == .invalidPosition)
    }

    @Test("a reader that begins after the largest sequence number gets no event, and ends when cancelled or closed")
    func afterTheLastNumber() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        let cancelled = Task { try await read(1, of: store.events(after: SequenceNumber(.max))) }
        let waiting = Task { try await read(1, of: store.events(after: SequenceNumber(.max))) }
        try await store.save(Note(id: "1", title: "a"))
        cancelled.cancel()
        #expect(try await cancelled.value.isEmpty)
        let beyond = Position(sequence: SequenceNumber(.max), chain: 1)
        #expect(await code { _ = try await read(1, of: store.events(after: beyond)) } == .invalidPosition)
        try await store.close()
        #expect(await code { _ = try await waiting.value } == .closed)
    }

    @Test("reading fails with closed after the store is closed, for waiting and for new readers")
    func endsWithClosed() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        let waiting = Task { try await read(2, of: store.events(after: .zero)) }
        let query = Task { try await read(2, of: store.observe(Note.all)) }
        let late = store.events(after: .zero)
        try await Task.sleep(for: .milliseconds(5))
        try await store.close()
        #expect(await code { _ = try await waiting.value } == .closed)
        #expect(await code { _ = try await query.value } == .closed)
        #expect(await code { _ = try await read(1, of: late) } == .closed)
        #expect(await code { _ = try await read(1, of: store.events(after: .zero)) } == .closed)
        #expect(await code { _ = try await read(1, of: store.changes(of: Note.all)) } == .closed)
    }

    @Test("a stream with an end gives the events up to the end, also if compaction dropped the last of these events")
    func end() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        for id in ["1", "2"] { try await store.save(Note(id: id, title: "a")) }
        try await store.delete(Note(id: "2", title: "a"))
        let head = try store.head.sequence
        func sequences(_ first: UInt64, _ last: SequenceNumber) async throws -> [UInt64] {
            var found: [UInt64] = []
            for try await event in store.events(after: SequenceNumber(first), through: last) {
                found.append(event.sequence.value)
            }
            return found
        }
        #expect(try await sequences(0, head) == [1, 2, 3, 4])
        #expect(try await sequences(1, SequenceNumber(3)) == [2, 3])
        #expect(try await sequences(3, SequenceNumber(2)) == [])
        #expect(try await sequences(0, .zero) == [])
        try await store.compact(tombstoneAge: .zero)
        #expect(try store.head.sequence == head)
        #expect(try await sequences(0, head) == [1, 2])
        async let later = sequences(2, SequenceNumber(head.value + 2))
        for id in ["3", "4", "5"] { try await store.save(Note(id: id, title: "a")) }
        #expect(try await later == [5, 6])
        try await store.close()
    }

    @Test("readers, consumers, observers and waits end with storeCleared after the store is cleared")
    func endsWithCleared() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        try await store.save(Note(id: "1", title: "a"))
        let consumer = try await store.consumer(named: "all")
        let head = try store.head
        let tasks = [
            Task { _ = try await read(9, of: store.events(after: .zero)) },
            Task { _ = try await read(9, of: consumer.events()) },
            Task { _ = try await read(9, of: store.changes(of: Note.all)) },
            Task { _ = try await read(9, of: store.observe(Note.all)) },
            Task { try await store.waitUntil(SequenceNumber(9)) },
        ]
        try await Task.sleep(for: .milliseconds(5))
        try store.current().retire(.cleared)
        for task in tasks { #expect(await code { try await task.value } == .storeCleared) }
        #expect(await code { _ = try consumer.position } == .storeCleared)
        #expect(await code { try await consumer.advance(to: head) } == .storeCleared)
    }

    @Test("an iteration ends after its first error")
    func overAfterFailure() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        var events = store.events(after: .zero).makeAsyncIterator()
        #expect(try await events.next()?.sequence == SequenceNumber(1))
        try await store.close()
        await #expect(throws: DataStoreError.self) { try await events.next() }
        #expect(try await events.next() == nil)
    }

    @Test("a cancelled task's iteration ends without an error")
    func cancellation() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        try await store.save((0..<600).map { Note(id: "\($0)", title: "t") })
        let tasks = [
            Task { try await read(.max, of: store.events(after: .zero)).count },
            Task { try await read(.max, of: store.changes(of: Note.all)).count },
            Task { try await read(.max, of: store.changes(of: Record.all(of: "Note"))).count },
            Task { try await read(.max, of: store.observe(Note.all)).count },
        ]
        try await Task.sleep(for: .milliseconds(5))
        tasks.forEach { $0.cancel() }
        for task in tasks { _ = try await task.value }
    }

    @Test("a compacted log gives the kept events, and a reader that began below the floor has lagged")
    func compacted() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        for number in 0..<9 { try await store.save(Note(id: "1", title: "\(number)")) }  // Events 2 … 10.
        var early = store.events(after: .zero).makeAsyncIterator()
        let position = try await read(3, of: store.events(after: .zero))[2].position
        let observer = store.changes(of: Note.all)
        let unread = store.events(after: SequenceNumber(4))
        try await store.compact(dropping: [2, 3, 4, 5, 6], floor: 7)
        // These sequences were made before the floor was raised, so they would miss events.
        #expect(await code { _ = try await early.next() } == .lagged)
        #expect(await code { _ = try await read(1, of: unread) } == .lagged)
        let kept = try await read(5, of: store.events(after: .zero))
        #expect(kept.map(\.sequence.value) == [1, 7, 8, 9, 10])
        // The log still has all events of this observer.
        async let observed = read(1, of: observer)
        try await store.save(Note(id: "1", title: "last"))
        #expect(try await observed[0].sequence == SequenceNumber(11))
        do {
            _ = try await read(1, of: store.events(after: position))
            Issue.record("a position below the floor was accepted")
        } catch let error as DataStoreError {
            #expect(error.code == .lagged)
            #expect(error.missed == SequenceNumber(4)...SequenceNumber(7))
        }
    }

    @Test("waiting for a sequence number ends once the rows contain it")
    func waitUntil() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        try await store.waitUntil(.zero)
        let waiter = Task {
            try await store.waitUntil(SequenceNumber(3))
            return try await store.count(Note.all)
        }
        try await store.save(Note(id: "1", title: "a"))
        try await store.save(Note(id: "2", title: "b"))
        #expect(try await waiter.value == 2)
        let cancelled = Task { try await store.waitUntil(SequenceNumber(99)) }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
    }
}

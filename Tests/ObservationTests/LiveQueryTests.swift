import SeededNumbers
import TestStores
import TestWaiting
import Testing
import Tidelog

@testable import TidelogCore

@Suite("Live queries", .timeLimit(.minutes(5)))
struct LiveQueryTests {
    @Test(
        "each result equals a replay of the log up to its sequence number, for random queries",
        .timeLimit(.minutes(5)),
        arguments: ["memory", "lmdb", "sqlite"], 1...2 as ClosedRange<UInt64>)
    func exactAtSequence(adapter: String, seed: UInt64) async throws {
        try await withStore(adapter, itemSchema) { try await checkResults($0, seed: seed) }
    }

    private func checkResults(_ store: DataStore, seed: UInt64) async throws {
        var generator = SeededGenerator(seed)
        // With 40 records, changes often affect the same record. 400 records are more than a page keeps.
        let idCount = seed % 2 == 0 ? 40 : 400
        let first = (0..<idCount).map { _ in Item.random(&generator, idCount: idCount) }
        try await store.save(first)
        let queries = (0..<10).map { _ in PlainQuery.random(&generator) }
        let results = queries.map { _ in Shared<[LiveResult<Item>]>([]) }
        let observers = queries.indices.map { index in
            let live = store.observe(
                Item.where(queries[index].predicate).sorted(by: queries[index].sort).page(queries[index].page))
            return Task {
                for try await result in live {
                    results[index].update { $0.append(result) }
                    if index % 3 == 0 { try? await Task.sleep(for: .milliseconds(index)) }
                }
            }
        }
        try await Self.writeAtRandom(store, seed: seed, idCount: idCount)
        let history = try await ReplayedItems(store)
        for index in queries.indices {
            let final = queries[index].result(of: history.states[history.states.count - 1].values)
            try await eventually("the last result is delivered") { results[index].value.last?.items == final }
        }
        observers.forEach { $0.cancel() }
        for observer in observers { try await observer.value }
        for index in queries.indices {
            let seen = results[index].value
            for result in seen {
                let expected = queries[index].result(of: history.states[Int(result.sequence.value)].values)
                #expect(result.items == expected, "query \(index) at \(result.sequence): \(queries[index])")
                #expect(history.commitEnds.contains(result.sequence))
            }
            for (earlier, later) in zip(seen, seen.dropFirst()) {
                #expect(earlier.sequence < later.sequence)
                #expect(earlier.items != later.items)
            }
            // An ordinary query is a third opinion about the result.
            let asked = try await store.query(
                Item.self, where: queries[index].predicate, sort: queries[index].sort, page: queries[index].page)
            #expect(asked == seen.last?.items)
        }
    }

    /// Saves, deletes and repeats saves at random, in 4 tasks at once.
    private static func writeAtRandom(_ store: DataStore, seed: UInt64, idCount: Int) async throws {
        try await withThrowingTaskGroup { group in
            for writer in 0..<4 {
                group.addTask {
                    var generator = SeededGenerator(seed * 100 + UInt64(writer))
                    for number in 0..<120 {
                        let items = (0..<(1 + generator.below(4))).map { _ in
                            Item.random(&generator, idCount: idCount)
                        }
                        let deleted = (0..<generator.below(4)).map { _ in Item.id(generator.below(idCount))
                        }
                        let isRepeated = generator.below(10) == 0
                        let rank = Int64(generator.below(10))
                        try await store.write { transaction in
                            for id in deleted { try transaction.delete(Item.self, id: id) }
                            try transaction.save(isRepeated ? items + items : items)
                            if number % 10 == 0 {
                                try transaction.delete(
                                    all: Item.where(
                                        ModelPredicate(.field("rank", .between(.int(rank), .int(rank + 2))))))
                            }
                            if number == 60, writer == 0 { try transaction.delete(all: Item.all) }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("the first result comes at once, and later results come only when the items change")
    func emitsChangesOnly() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        try await store.save(Note(id: "1", title: "a", rating: 5))
        var results = store.observe(Note.where(Note.keys.rating > 4)).makeAsyncIterator()
        let first = try await results.next()
        #expect(first == LiveResult(items: [Note(id: "1", title: "a", rating: 5)], sequence: SequenceNumber(2)))
        #expect(first?.isSynced == false)
        try await store.save(Note(id: "2", title: "low", rating: 1))
        try await store.save(Note(id: "1", title: "a", rating: 5))
        try await store.delete(Note.self, id: "2")
        try await store.save(Note(id: "3", title: "c", rating: 9))
        let second = try await results.next()
        #expect(second?.items.map(\.id) == ["1", "3"])
        #expect(second?.sequence == SequenceNumber(6))
        // A change that is reverted before the next result does not count as a change.
        try await store.delete(Note.self, id: "3")
        try await store.save(Note(id: "3", title: "c", rating: 9))
        try await store.save(Note(id: "3", title: "c", rating: 0))
        #expect(try await results.next()?.items.map(\.id) == ["1"])
    }

    @Test("commits coalesce while the receiver is busy, and the last state is delivered")
    func coalesces() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        var results = store.observe(Record.all(of: "Note").sorted(by: .descending(Note.keys.rating)).limit(3))
            .makeAsyncIterator()
        #expect(try await results.next()?.items.isEmpty == true)
        for number in 0..<3_000 { try await store.save(Note(id: "\(number % 700)", title: "t", rating: number)) }
        let result = try await results.next()
        #expect(result?.sequence == SequenceNumber(3_001))
        #expect(result?.items.map { $0["rating"] } == [2_999, 2_998, 2_997])
    }

    @Test("a page that loses records is refilled with the records that follow, however many it loses")
    func refills() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        try await store.save((0..<500).map { Note(id: "\($0 + 1_000)", title: "t", rating: $0 % 50) })
        for (sort, page) in [
            (Sort.byKey, Page.first(5)), (.descending(Note.keys.rating), Page(offset: 3, limit: 4)),
            (.ascending(Note.keys.rating), Page(offset: 40, limit: 10)),
        ] {
            var results = store.observe(Note.all.sorted(by: sort).page(page)).makeAsyncIterator()
            var shown = try await results.next()?.items ?? []
            #expect(shown.count == page.limit)
            for _ in 0..<12 {
                let victims = try await store.query(Note.self, sort: sort, page: .first(page.offset + 8))
                try await store.write { transaction in
                    for victim in victims.suffix(9) { try transaction.delete(victim) }
                }
                shown = try await results.next()?.items ?? []
                #expect(try await store.query(Note.self, sort: sort, page: page) == shown)
            }
        }
    }

    @Test("a live query that compaction has overtaken queries the rows again and continues")
    func healsItself() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        try await store.save(Note(id: "1", title: "a"))
        var results = store.observe(Note.all).makeAsyncIterator()
        #expect(try await results.next()?.items.map(\.title) == ["a"])
        for number in 0..<8 { try await store.save(Note(id: "1", title: "\(number)")) }  // Events 3 … 10.
        try await store.compact(dropping: Array(2...8), floor: 9)
        let healed = try await results.next()
        #expect(healed?.items.map(\.title) == ["7"])
        #expect(healed?.sequence == SequenceNumber(10))
        try await store.save(Note(id: "2", title: "b"))
        #expect(try await results.next()?.items.map(\.title) == ["7", "b"])
    }

    @Test("while compaction runs, live queries end with the right result, and a consumer misses no event")
    func besideCompaction() async throws {
        try await withStore("lmdb", itemSchema) { store in
            var generator = SeededGenerator(7)
            let queries = (0..<6).map { _ in PlainQuery.random(&generator) }
            let last = queries.map { _ in Shared<LiveResult<Item>?>(nil) }
            let observers = queries.indices.map { index in
                let live = store.observe(
                    Item.where(queries[index].predicate).sorted(by: queries[index].sort).page(queries[index].page))
                return Task {
                    for try await result in live {
                        if let earlier = last[index].value { #expect(earlier.sequence < result.sequence) }
                        last[index].update { $0 = result }
                        try? await Task.sleep(for: .milliseconds(2 * index))
                    }
                }
            }
            let consumer = try await store.consumer(named: "all", startingAfter: store.head)
            let start = try consumer.position.sequence.value
            let consuming = Task {
                var sequences: [UInt64] = []
                for try await event in consumer.events() {
                    sequences.append(event.sequence.value)
                    if sequences.count % 40 == 0 { try await consumer.advance(to: event.position) }
                    if event.recordID == "end" { break }
                }
                return sequences
            }
            let isWriting = Shared(true)
            let compacting = Task {
                var droppedCount = 0
                while isWriting.value {
                    droppedCount += try await store.compact(tombstoneAge: .zero).droppedCount
                    try? await Task.sleep(for: .milliseconds(1))
                }
                return droppedCount
            }
            try await Self.writeAtRandom(store, seed: 7, idCount: 60)
            isWriting.update { $0 = false }
            var droppedCount = try await compacting.value
            for index in queries.indices {
                let query = queries[index]
                let final = try await store.query(
                    Item.self, where: query.predicate, sort: query.sort, page: query.page)
                try await eventually("the last result is delivered") { last[index].value?.items == final }
            }
            observers.forEach { $0.cancel() }
            for observer in observers { try await observer.value }
            try await store.save(Item(id: "end"))
            #expect(try await consuming.value == Array((start + 1)...(try store.head.sequence.value)))
            try await consumer.advance(to: store.head)
            droppedCount += try await store.compact(tombstoneAge: .zero).droppedCount
            #expect(droppedCount > 0)
        }
    }

    @Test("a page with limit 0 or beyond the last record is empty and stays empty")
    func emptyPages() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        try await store.save((0..<5).map { Note(id: "\($0)", title: "t") })
        for page in [Page.first(0), Page(offset: 9, limit: 3), Page(offset: .max, limit: .max)] {
            let task = Task { try await read(2, of: store.observe(Note.all.page(page))) }
            try await Task.sleep(for: .milliseconds(5))
            try await store.save(Note(id: "0", title: "\(page.offset)"))
            try await Task.sleep(for: .milliseconds(5))
            task.cancel()
            #expect(try await task.value.map(\.items) == [[]])
        }
    }

    @Test("no part of an observation stays in memory after its receivers end and the store is closed")
    func leavesNothing() async throws {
        weak var generation: Generation?
        do {
            let store = try await DataStore.inMemory(schema: noteSchema)
            generation = try store.current()
            let tasks = [
                Task { try await read(.max, of: store.events(after: .zero)).count },
                Task { try await read(.max, of: store.changes(of: Note.all)).count },
                Task { try await read(.max, of: store.observe(Note.all)).count },
            ]
            for number in 0..<50 { try await store.save(Note(id: "\(number)", title: "t")) }
            tasks.forEach { $0.cancel() }
            for task in tasks { _ = try await task.value }
            _ = try await read(1, of: store.observe(Note.all))
            #expect(generation != nil)
            try await store.close()
        }
        try await eventually("the store's parts are gone") { generation == nil }
    }

    @Test("an observer does not keep a released store open")
    func storeMayGo() async throws {
        var store: DataStore? = try await DataStore.inMemory(schema: noteSchema)
        var results = store?.observe(Note.all).makeAsyncIterator()
        #expect(try await results?.next()?.items == [])
        store = nil
        do {
            _ = try await results?.next()
            Issue.record("the observation continued")
        } catch let error as DataStoreError {
            #expect(error.code == .closed)
        }
    }

    @Test("a live query can be iterated on the main actor")
    @MainActor
    func mainActor() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        var shown: [String] = []
        try await store.save(Note(id: "1", title: "a"))
        for try await result in store.observe(Note.all) {
            shown += result.items.map(\.title)
            if shown.count == 3 { break }
            try await store.save(Note(id: "2", title: "b"))
        }
        #expect(shown == ["a", "a", "b"])
    }
}

/// The states of a store's items after every event, replayed from its log.
struct ReplayedItems {
    /// The states by sequence number.
    var states: [[String: Item]] = [[:]]
    var commitEnds: Set<SequenceNumber> = []

    init(_ store: DataStore) async throws {
        let head = try store.head.sequence
        for event in try await read(Int(head.value), of: store.events(after: .zero)) {
            var state = states[states.count - 1]
            if event.kind == .deleted, case .string(let id)? = event.recordID?.components.first { state[id] = nil }
            if let item = try event.decode(Item.self) { state[item.id] = item }
            states.append(state)
            if event.isLastInCommit { commitEnds.insert(event.sequence) }
        }
    }
}

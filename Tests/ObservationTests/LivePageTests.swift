import Dispatch
import SeededNumbers
import TestStores
import TestWaiting
import Testing
@_spi(Adapters) import Tidelog

@_spi(Adapters) @testable import TidelogCore

@Suite("Pages of live queries", .timeLimit(.minutes(5)))
struct LivePageTests {
    @Test(
        "a page that keeps a small part of a large result is correct after each change",
        arguments: ["memory", "lmdb", "sqlite"], 1...2 as ClosedRange<UInt64>)
    func oneAtATime(adapter: String, seed: UInt64) async throws {
        try await withStore(adapter, itemSchema) { try await checkPage($0, seed: seed) }
    }

    private func checkPage(_ store: DataStore, seed: UInt64) async throws {
        var generator = SeededGenerator(seed)
        try await store.save((0..<200).map { _ in Item.random(&generator, idCount: 300) })
        var query = PlainQuery.random(&generator)
        (query.page, query.anchor) = (Page(offset: generator.below(3), limit: 1 + generator.below(3)), nil)
        let (predicate, sort, page) = (query.predicate, query.sort, query.page)
        var results = store.observe(Item.where(predicate).sorted(by: sort).page(page)).makeAsyncIterator()
        var shown = try await results.next()?.items
        for _ in 0..<250 {
            // The changes are near the end of the records that the page keeps.
            let near = try await store.query(Item.self, where: predicate, sort: sort, page: .first(30))
            var item = Item.random(&generator, idCount: 300)
            if generator.below(2) == 0, let victim = near.randomElement(using: &generator) { item.id = victim.id }
            let changed = item
            if generator.below(3) == 0 { try await store.save(changed) } else { try await store.delete(changed) }
            let expected = try await store.query(Item.self, where: predicate, sort: sort, page: page)
            if expected != shown { shown = try await results.next()?.items }
            #expect(shown == expected)
        }
    }

    @Test("the number of records that a page keeps is bounded, however many records come and go")
    func boundedMemory() throws {
        let model = SchemaLayout(StoredSchema(first: noteSchema)).models[0]
        let query = try StorageQuery(
            model: model, sort: .descending(Note.keys.rating), page: Page(offset: 2, limit: 3))
        var page = LivePage<Note>(query) { try Note.decoded($0, $1) }
        let adapter = InMemoryAdapter()
        // There are more records than the page keeps at once, so the page knows that it does not have all of them.
        let transaction = adapter.begin()
        try transaction.prepare(SchemaLayout(StoredSchema(first: noteSchema)), auxiliaryTables: [])
        for number in 0..<100 {
            try Self.row(number, rating: number, model).withRow { key, row in
                let change = RowChange(
                    key: key, sequence: SequenceNumber(1), row: row, existed: false, changedFields: .all)
                try withUnsafePointer(to: change) {
                    try transaction.apply(UnsafeBufferPointer(start: $0, count: 1), to: model)
                }
            }
        }
        try transaction.commit(
            checkpoint: Checkpoint(
                store: .random(), sequence: SequenceNumber(1), chain: 1, schemaVersion: 1, projectionSignature: 1))
        try page.extend(from: adapter.snapshot())
        #expect(page.takeItems().items.map(\.rating) == [97, 96, 95])
        for number in 0..<2_000 {
            try Self.row(number, rating: 100 + number, model).withRow { try page.apply($0, $1) }
            try Self.row(number * 3 % 1_000, rating: -1, model).withRow { key, _ in try page.apply(key, nil) }
            #expect(page.count <= 64)
            #expect(page.orders.count == page.count)
        }
    }

    private static func row(_ number: Int, rating: Int, _ model: ModelLayout) throws -> EncodedRow {
        try EncodedRow(
            Record(
                model: "Note",
                values: ["id": .string("\(number)"), "title": "t", "rating": .int(Int64(rating))]),
            layout: model)
    }

    @Test("the end of a change feed waits for current readers, and refuses later readers")
    func endWaits() async throws {
        let feed = ChangeFeed(published: .zero)
        let order = Shared<[String]>([])
        let (entered, go) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let reader = DispatchQueue(label: "reader")
        let done = Task {
            await withCheckedContinuation { continuation in
                reader.async {
                    try? feed.reading {
                        entered.signal()
                        go.wait()
                        order.update { $0.append("read") }
                    }
                    continuation.resume()
                }
            }
        }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                entered.wait()
                DispatchQueue.global().async {
                    while feed.endReason == nil {}
                    go.signal()
                }
                feed.end(.closed)
                order.update { $0.append("ended") }
                continuation.resume()
            }
        }
        await done.value
        #expect(order.value == ["read", "ended"])
        #expect(await code { try feed.reading {} } == .closed)
        #expect(await code { try await feed.wait(for: SequenceNumber(1)) } == .closed)
    }
}

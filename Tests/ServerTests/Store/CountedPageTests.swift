import SeededNumbers
import TestStores
import Testing
import Tidelog
import TidelogServer

@Suite("Pages that count more records than they return")
struct CountedPageTests {
    private static let sorts: [Sort] = [
        .byKey, .ascending(Note.keys.rating), .descending(Note.keys.rating),
        .by(.descending(Note.keys.title), .ascending(Note.keys.rating)),
    ]

    private static let admissions: [QueryPredicate] = [
        .all, .field("title", .equal("t1")), .field("title", .notEqual("t2")), .or([]),
    ]

    private static let filters: [QueryPredicate] = [
        .all, .field("rating", .greater(2)), .related("id", .field("size", .equal(3))), .field("id", .equal("n77")),
        .or([]),
    ]

    private static func store(_ adapter: Adapter, _ scratch: Scratch) async throws -> DataStore {
        let store = try await DataStore.open(at: scratch.path(), schema: noteSchema, adapter: adapter.factory)
        var generator = SeededGenerator(5)
        try await store.save(
            (0..<150).map { number in
                let rating = generator.once(in: 4) ? nil : generator.below(6)
                return Note(id: "n\(number)", title: "t\(generator.below(4))", rating: rating)
            })
        return store
    }

    /// All pages of `query`, in order.
    private static func walk(_ store: DataStore, _ query: PageQuery) async throws -> [CountedPage] {
        var query = query
        var pages: [CountedPage] = []
        repeat {
            let asked = query
            let page = try await store.read { try $0.page(asked) }
            pages.append(page)
            query.place = page.next
        } while query.place != nil && pages.count < 500
        return pages
    }

    @Test(
        "the limit counts the admitted records, and the pages contain those that also pass the filter",
        arguments: Adapter.all)
    func limits(_ adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await Self.store(adapter, scratch)
        for sort in Self.sorts {
            for predicate in [QueryPredicate.all, .field("rating", .lessOrEqual(4))] {
                for admission in Self.admissions {
                    let admitted = try await store.read {
                        try $0.count(Record.all(of: "Note").where(predicate && admission))
                    }
                    for filter in Self.filters {
                        var query = PageQuery(Record.all(of: "Note"), limit: 20)
                        query.query = query.query.where(predicate).sorted(by: sort)
                        (query.admission, query.filter) = (admission, filter)
                        let pages = try await Self.walk(store, query)
                        let expected = try await store.fetch(
                            Record.all(of: "Note").where(.and([predicate, admission, filter])).sorted(by: sort))
                        #expect(pages.flatMap(\.records) == expected)
                        #expect(pages.dropLast().allSatisfy { $0.count == 20 })
                        #expect(pages.map(\.count).reduce(0, +) == admitted)
                        #expect(pages.count == max(1, (admitted + 19) / 20))
                    }
                }
            }
        }
        try await store.close()
    }

    @Test("a page ends at its read limit, and the next page continues there", arguments: Adapter.all)
    func readLimit(_ adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await Self.store(adapter, scratch)
        for sort in Self.sorts {
            for (admission, limit) in [
                (QueryPredicate.field("id", .equal("n77")), 20), (.field("title", .equal("t1")), 3),
            ] {
                var query = PageQuery(Record.all(of: "Note"), limit: limit)
                query.query = query.query.sorted(by: sort)
                (query.admission, query.readLimit) = (admission, 40)
                let pages = try await Self.walk(store, query)
                #expect(pages.allSatisfy { $0.readCount <= 40 })
                #expect(
                    pages.flatMap(\.records)
                        == (try await store.fetch(Record.all(of: "Note").where(admission).sorted(by: sort))))
                #expect(pages.count >= 4)
            }
        }
        try await store.close()
    }

    @Test(
        "a page ends after a turn of comparisons, and its compared bytes show if the limit was exceeded",
        arguments: Adapter.all)
    func comparisons(_ adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await Self.store(adapter, scratch)
        var query = PageQuery(Record.all(of: "Note"), limit: 1_000)
        query.filter = .field("rating", .greater(2))
        query.comparisonTurn = 80
        let pages = try await Self.walk(store, query)
        #expect(pages.count == 15)
        #expect(pages.allSatisfy { $0.count == 10 && $0.comparedByteCount == 80 })
        #expect(pages.flatMap(\.records) == (try await store.fetch(Record.all(of: "Note").where(query.filter))))
        query.comparisonTurn = .max
        for (limit, isEnough) in [(1_200, true), (1_199, false), (0, false)] {
            query.comparisonLimit = limit
            let asked = query
            let page = try await store.read { try $0.page(asked) }
            #expect((page.comparedByteCount <= limit) == isEnough)
        }
        try await store.close()
    }

    @Test("the place of a page is refused by a query with another sort")
    func otherOrder() async throws {
        let scratch = try Scratch()
        let store = try await Self.store(Adapter(factory: .inMemory()), scratch)
        var query = PageQuery(Record.all(of: "Note"), limit: 5)
        query.query = query.query.where(.field("rating", .greater(0))).sorted(by: .ascending(Note.keys.rating))
        let first = query
        query.place = try await store.read { try $0.page(first) }.next
        query.query = query.query.sorted(by: .ascending(Note.keys.title))
        let second = query
        let error = await #expect(throws: DataStoreError.self) {
            _ = try await store.read { try $0.page(second) }
        }
        #expect(error?.code == .invalidPredicate)
        try await store.close()
    }
}

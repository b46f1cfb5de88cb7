import SeededNumbers
import TestStores
import Testing
import Tidelog

@Suite("Pages after a record")
struct PageAfterTests {
    private static let sorts: [Sort] = [
        .byKey, .ascending(Note.keys.rating), .descending(Note.keys.rating), .descending(Note.keys.title),
        .by(.descending(Note.keys.rating), .ascending(Note.keys.title)),
        .by(.ascending(Note.keys.title), .descending(Note.keys.rating)), .ascending(Note.keys.id),
        .descending(Note.keys.id),
    ]

    private static func notes(_ generator: inout SeededGenerator) -> [Note] {
        (0..<150).map { number in
            let rating = generator.once(in: 4) ? nil : generator.below(6)
            return Note(id: "n\(number)", title: "t\(generator.below(4))", rating: rating)
        }
    }

    @Test("pages one after the other give every record once and in order", arguments: Adapter.all)
    func walk(_ adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await DataStore.open(at: scratch.path(), schema: noteSchema, adapter: adapter.factory)
        var generator = SeededGenerator(1)
        try await store.save(Self.notes(&generator))
        for sort in Self.sorts {
            for predicate in [.all, Note.keys.title != "t2", Note.keys.rating.in([1, 2, 3])] {
                let whole = try await store.query(Note.self, where: predicate, sort: sort)
                var walked = try await store.query(Note.self, where: predicate, sort: sort, page: .first(7))
                while let last = walked.last {
                    let next = try await store.query(
                        Note.self, where: predicate, sort: sort, page: .after(last, limit: 7))
                    if next.isEmpty { break }
                    walked += next
                }
                #expect(walked == whole, "\(sort)")
                let rest = try await store.query(Note.self, where: predicate, sort: sort, page: .after(whole[20]))
                #expect(rest == Array(whole.dropFirst(21)))
            }
        }
        try await store.close()
    }

    @Test("a page can begin after a record that was deleted", arguments: Adapter.all)
    func gone(_ adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await DataStore.open(at: scratch.path(), schema: noteSchema, adapter: adapter.factory)
        var generator = SeededGenerator(2)
        try await store.save(Self.notes(&generator))
        for sort in Self.sorts {
            let whole = try await store.query(Note.self, sort: sort)
            let anchor = whole[whole.count / 2]
            try await store.delete(anchor)
            let rest = try await store.query(Note.self, sort: sort, page: .after(anchor, limit: 10))
            #expect(rest == Array(whole.dropFirst(whole.count / 2 + 1).prefix(10)))
        }
        try await store.close()
    }

    @Test("dynamic queries, counts, transactions and plans also accept a page after a record", arguments: Adapter.all)
    func dynamic(_ adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await DataStore.open(at: scratch.path(), schema: noteSchema, adapter: adapter.factory)
        try await store.save((0..<10).map { (number: Int) in Note(id: "n\(number)", title: "t", rating: number) })
        let anchor = Record(model: "Note", values: ["id": "n4", "title": "t", "rating": 4])
        let sort = Sort([.init("rating", isDescending: true)])
        let found = try await store.fetch(Record.all(of: "Note").sorted(by: sort).page(.after(anchor, limit: 2)))
        #expect(found.compactMap { $0["id"] } == ["n3", "n2"])
        #expect(try await store.read { try $0.count(Record.all(of: "Note").page(.after(anchor))) } == 5)
        try await store.write { transaction in
            try transaction.save(Note(id: "n35", title: "t", rating: 3))
            let seen = try transaction.fetch(
                Note.all.sorted(by: .descending(Note.keys.rating)).page(
                    .after(Note(id: "n4", title: "t", rating: 4), limit: 2)))
            #expect(seen.map(\.id) == ["n3", "n35"])
        }
        let plan = try await store.read {
            try $0.plan(Record.all(of: "Note").sorted(by: sort).page(.after(anchor, limit: 2)))
        }
        if adapter.factory.name != "inMemory", plan.index != nil { #expect(plan.index == "byRating" && !plan.sorts) }
        try await store.close()
    }

    @Test("a page after a record of another model, or after an incomplete record, is refused")
    func refused() async throws {
        let store = try await DataStore.inMemory(schema: noteSchema)
        await #expect(throws: DataStoreError.self) {
            try await store.fetch(Record.all(of: "Note").page(.after(Record(model: "Other", values: [:]))))
        }
        await #expect(throws: DataStoreError.self) {
            try await store.fetch(Record.all(of: "Note").page(.after(Record(model: "Note", values: ["id": "x"]))))
        }
        try await store.close()
    }
}

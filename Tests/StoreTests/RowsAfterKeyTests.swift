import TestStores
import Testing
@_spi(Adapters) import Tidelog
@_spi(Adapters) import TidelogCore

@Suite("Rows after a key")
struct RowsAfterKeyTests {
    /// The ids and keys of a page of rows.
    private static func page(
        of snapshot: StoreSnapshot, where predicate: QueryPredicate = .all, limit: Int, after key: [UInt8]?
    ) throws -> [(id: String, key: [UInt8])] {
        var rows: [(id: String, key: [UInt8])] = []
        try snapshot.forEachRow(Record.all(of: "Note").where(predicate).limit(limit), after: key) { row, model in
            guard case .string(let id)? = try Record(row.row, layout: model)["id"] else { return false }
            rows.append((id, Array(row.key)))
            return true
        }
        return rows
    }

    @Test(
        "successive pages give every row that matches the predicate once, in the order of the keys",
        arguments: Adapter.all)
    func walk(_ adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await DataStore.open(at: scratch.path(), schema: noteSchema, adapter: adapter.factory)
        try await store.save(
            (0..<50).map { (number: Int) in Note(id: "n\(number)", title: "t\(number % 3)", rating: number % 5) })
        for predicate in [QueryPredicate.all, (Note.keys.title == "t1").queryPredicate] {
            let (whole, walked) = try await store.read { snapshot in
                let whole = try snapshot.fetch(Record.all(of: "Note").where(predicate)).map { $0["id"] }
                var walked: [FieldValue?] = []
                var last: [UInt8]?
                while true {
                    let page = try Self.page(of: snapshot, where: predicate, limit: 7, after: last)
                    walked += page.map { .string($0.id) }
                    guard let end = page.last else { return (whole, walked) }
                    last = end.key
                }
            }
            #expect(walked == whole && whole.count > 15)
        }
        try await store.close()
    }

    @Test("a page can begin after the key of a deleted row", arguments: Adapter.all)
    func gone(_ adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await DataStore.open(at: scratch.path(), schema: noteSchema, adapter: adapter.factory)
        try await store.save((0..<9).map { (number: Int) in Note(id: "n\(number)", title: "t", rating: number) })
        let before = try await store.read { try Self.page(of: $0, limit: 9, after: nil) }
        try await store.delete(Note(id: before[3].id, title: "t", rating: 3))
        let rest = try await store.read { try Self.page(of: $0, limit: 3, after: before[3].key) }
        #expect(rest.map(\.id) == before[4..<7].map(\.id))
        let end = try await store.read { try Self.page(of: $0, limit: 3, after: before[8].key) }
        #expect(end.isEmpty)
        try await store.close()
    }
}

import TestStores
import Testing
import Tidelog
import TidelogGraphQLExecution

@testable import TidelogServer

@Suite("Sync queries")
struct SyncQueryTests {
    static let sdl = """
        type Post @model { id: ID! title: String! rank: Int @index(name: "byRank", queryField: "postsByRank") }
        """

    private static func create(_ served: ServedSchema, _ range: ClosedRange<Int>) async throws {
        for number in range {
            _ = try await served.data(
                "mutation { createPost(input: {id: \"p\(number)\", title: \"t\(number)\", rank: \(number % 5)}) { id } }"
            )
        }
    }

    /// All pages of a sync.
    private struct Pages {
        /// The records, in order.
        var items: [ResponseValue] = []
        /// The different values of `startedAt`.
        var startedAt: Set<Int64> = []
        /// The number of pages.
        var count = 0

        var ids: [String] { items.compactMap { $0["id"]?.text } }
    }

    /// A post on a page, with the title that it was created with.
    private static func item(
        _ number: Int, rank: Int64, version: Int64 = 1, isDeleted: Bool = false
    ) -> ResponseValue {
        .object([
            "id": .string("p\(number)"), "title": .string("t\(number)"), "rank": .int(rank),
            "_version": .int(version), "_deleted": isDeleted ? .bool(true) : .null,
        ])
    }

    /// Reads all pages of a sync.
    private static func pages(
        _ served: ServedSchema, limit: Int, lastSync: Int64? = nil, filter: InputValue = .null
    ) async throws -> Pages {
        let query = """
            query Sync($filter: ModelPostFilterInput, $limit: Int, $nextToken: String, $lastSync: AWSTimestamp) {
              syncPosts(filter: $filter, limit: $limit, nextToken: $nextToken, lastSync: $lastSync) {
                items { id title rank _version _deleted } nextToken startedAt } }
            """
        var pages = Pages()
        var token: String?
        repeat {
            var variables = InputObject([
                .init(name: "limit", value: .int(Int64(limit))), .init(name: "filter", value: filter),
            ])
            if let lastSync { variables.members.append(.init(name: "lastSync", value: .int(lastSync))) }
            if let token { variables.members.append(.init(name: "nextToken", value: .string(token))) }
            let page = try #require(try await served.data(query, variables)["syncPosts"])
            pages.items += page["items"]?.elements ?? []
            pages.startedAt.insert(try #require(page["startedAt"]?.number))
            token = page["nextToken"]?.text
            pages.count += 1
            served.clock.now += 10
        } while token != nil
        return pages
    }

    @Test(
        "a base query returns every record, tombstones too, in pages with the same startedAt",
        arguments: Adapter.persistent)
    func base(adapter: Adapter) async throws {
        let served = try await ServedSchema(Self.sdl, on: adapter)
        try await Self.create(served, 1...25)
        _ = try await served.data(#"mutation { deletePost(input: {id: "p3", _version: 1}) { id } }"#)
        let found = try await Self.pages(served, limit: 10)
        #expect(Set(found.ids) == Set((1...25).map { "p\($0)" }) && found.ids.count == 25)
        #expect(found.startedAt.count == 1 && found.count == 3)
    }

    @Test(
        "a delta query has each changed record as it is now, or every record if lastSync is too old or in the future",
        arguments: Adapter.persistent)
    func delta(adapter: Adapter) async throws {
        let served = try await ServedSchema(Self.sdl, on: adapter)
        try await Self.create(served, 1...20)
        served.clock.now += 1_000
        let lastSync = try #require(try await Self.pages(served, limit: 100).startedAt.first)
        served.clock.now += 1_000
        for version in 1...3 {
            _ = try await served.data(
                "mutation { updatePost(input: {id: \"p7\", rank: 9, _version: \(version)}) { id } }")
        }
        _ = try await served.data(#"mutation { deletePost(input: {id: "p9", _version: 1}) { id } }"#)
        try await Self.create(served, 21...22)
        let changed = try await Self.pages(served, limit: 2, lastSync: lastSync)
        let expected: Set<ResponseValue> = [
            Self.item(7, rank: 9, version: 4), Self.item(9, rank: 4, version: 2, isDeleted: true),
            Self.item(21, rank: 1), Self.item(22, rank: 2),
        ]
        #expect(changed.items.count == 4 && Set(changed.items) == expected, "\(changed.items)")
        // If the last sync was too long ago or is in the future, the sync returns every record.
        #expect(try await Self.pages(served, limit: 100, lastSync: served.clock.now - 1_800_001).ids.count == 22)
        #expect(try await Self.pages(served, limit: 100, lastSync: served.clock.now + 60_000).ids.count == 22)
    }

    @Test(
        "a change in the millisecond of a sync's start is not missed if the clock is set back or the store reopened"
    )
    func sameMillisecond() async throws {
        let served = try await ServedSchema(Self.sdl)
        let start = try #require(try await Self.pages(served, limit: 10).startedAt.first)
        served.clock.now = start - 50_000
        try await Self.create(served, 1...1)
        #expect(try await Self.pages(served, limit: 10, lastSync: start).ids == ["p1"])
        let reopened = try await LogVersionedStore(
            served.store, schema: served.service.api.storedSchema, source: Self.sdl, tombstoneAge: 1,
            clock: { start - 100_000 })
        #expect(try await reopened.beginSync() >= start)
    }

    @Test("a page token is accepted only unchanged, by the same server, and for the same field, filter and lastSync")
    func tokens() async throws {
        let served = try await ServedSchema(Self.sdl)
        try await Self.create(served, 1...5)
        let first = try await served.data("{ syncPosts(limit: 2) { nextToken } }")
        let token = try #require(first["syncPosts"]?["nextToken"]?.text)
        for query in [
            "{ syncPosts(limit: 2, lastSync: 5, nextToken: \"\(token)\") { nextToken } }",
            "{ syncPosts(limit: 2, filter: {title: {eq: \"x\"}}, nextToken: \"\(token)\") { nextToken } }",
            "{ listPosts(limit: 2, nextToken: \"\(token)\") { nextToken } }",
            "{ syncPosts(limit: 2, nextToken: \"A\(token.dropFirst())\") { nextToken } }",
            "{ syncPosts(limit: 2, nextToken: \"\") { nextToken } }",
        ] {
            #expect(try await served.ask(query).contains("Invalid pagination token"), "\(query)")
        }
        let nextPage = "{ syncPosts(limit: 3, nextToken: \"\(token)\") { nextToken } }"
        // The other server has the same records, but another secret.
        let other = try await ServedSchema(Self.sdl, seed: 2)
        try await Self.create(other, 1...5)
        #expect(try await other.ask(nextPage).contains("Invalid pagination token"))
        #expect(try await served.data(nextPage)["syncPosts"] != nil)
    }

    @Test(
        "a filter that an index can answer reads only matching records, by that index, and its pages have all of them",
        arguments: Adapter.persistent)
    func indexed(adapter: Adapter) async throws {
        let served = try await ServedSchema(Self.sdl, on: adapter)
        try await Self.create(served, 1...25)
        let filter = InputValue.object(["and": .list([.object(["rank": .object(["eq": .int(3)])])])])
        let found = try await Self.pages(served, limit: 2, filter: filter)
        #expect(Set(found.ids) == ["p3", "p8", "p13", "p18", "p23"] && found.count == 3)
        let request = ServiceRequest("{ syncPosts(limit: 100, filter: {and: [{rank: {eq: 3}}]}) { items { id } } }")
        let report = try await served.service.respond(to: request, from: .apiKey, isReported: true).report
        let page = try #require(report?.fields.first?.page)
        #expect(page.access == .index("byRank") && page.readCount == 5 && page.givenCount == 5, "\(page)")
    }

    @Test("an index query returns the records in the order of the index and applies its filter")
    func indexQuery() async throws {
        let served = try await ServedSchema(Self.sdl)
        try await Self.create(served, 1...25)
        let found = try await served.data(
            "{ postsByRank(rank: 2, filter: {title: {ne: \"t7\"}}) { items { id } nextToken } }")["postsByRank"]
        #expect((found?["items"]?.elements ?? []).compactMap { $0["id"]?.text } == ["p12", "p17", "p2", "p22"])
    }

    @Test(
        "the token of a delta query is refused when tombstones may be purged, and a new query is a base query")
    func slowPages() async throws {
        var options = ServiceOptions()
        (options.deltaAge, options.tombstoneAge) = (1_000, 2_000)
        let served = try await ServedSchema(Self.sdl, options: options)
        try await Self.create(served, 1...7)
        served.clock.now += 100
        let lastSync = served.clock.now
        served.clock.now += 100
        for number in 1...6 {
            _ = try await served.data("mutation { deletePost(input: {id: \"p\(number)\", _version: 1}) { id } }")
        }
        let query = { (token: String) in
            "{ syncPosts(limit: 3, lastSync: \(lastSync)\(token)) { items { id _deleted } nextToken } }"
        }
        let first = try await served.data(query(""))["syncPosts"]
        #expect(first?["items"]?.elements.count == 3)
        let token = try #require(first?["nextToken"]?.text)
        served.clock.now = lastSync + options.tombstoneAge
        #expect(try await served.data(query(", nextToken: \"\(token)\""))["syncPosts"]?["items"]?.elements.count == 3)
        served.clock.now += 1
        let late = try await served.ask(query(", nextToken: \"\(token)\""))
        #expect(late.contains("Invalid pagination token given") && late.contains("BadRequest"), "\(late)")
        // Without the token, the same query is a base query, and returns every record, even the record that never changed.
        try await Self.create(served, 8...8)
        let again = try await served.data("{ syncPosts(lastSync: \(lastSync)) { items { id _deleted } nextToken } }")
        let items = again["syncPosts"]?["items"]?.elements ?? []
        #expect(Set(items.compactMap { $0["id"]?.text }) == Set((1...8).map { "p\($0)" }) && items.count == 8)
        #expect(items.filter { $0["_deleted"] == .bool(true) }.count == 6)
        #expect(again["syncPosts"]?["nextToken"] == .null)
    }
}

import TestStores
import Testing
import Tidelog

@Suite("Queries as values") struct QueryValueTests {
    private static let comments = Comment.where(Comment.keys.place > 1).sorted(by: .descending(Comment.keys.place))

    @Test("two queries are equal if every part of them is equal")
    func equality() {
        let query = Self.comments.limit(2).including(Comment.keys.post)
        let same = Comment.all.where(Comment.keys.place > 1).sorted(by: .descending(Comment.keys.place))
            .page(.first(2)).including(Comment.keys.post)
        #expect(query == same)
        #expect(Set([query, same]).count == 1)
        let post = Post("a", 1)
        let others = [
            Comment.all, Comment.where(Comment.keys.place > 2), Self.comments, Self.comments.descending,
            Self.comments.limit(3), Self.comments.limit(2), Self.comments.page(.after(Comment(id: "c"))),
            Self.comments.page(.after(Comment(id: "d"))), Post.keys.comments.of(post),
            Post.keys.comments.of(Post("b", 1)), Comment.with(id: "c"),
        ]
        #expect(Set(others).count == others.count)
        #expect(Post.keys.comments.of(post) == Post.keys.comments.of(Post("a", 1)))
        #expect(Record.all(of: "Post") != Record.all(of: "Comment"))
        #expect(Comment.all.limit(5).limit(9).page.limit == 5, "a second limit never shows more")
    }

    @Test("a page after a value that is not Hashable is equal only to its copies")
    func identity() {
        let note = Note(id: "1", title: "a")
        let page = Page.after(note)
        #expect(page == page)
        #expect(Set([page, page]).count == 1)
        #expect(page != Page.after(note))
    }

    @Test("a store, a snapshot and a transaction answer every query in the same way", arguments: Adapter.allCases)
    func readers(adapter: Adapter) async throws {
        let store = try await Self.filled(adapter)
        let queries = [
            Comment.all, Self.comments, Self.comments.limit(2),
            Self.comments.descending.page(Page(offset: 1, limit: 2)),
            Comment.where(Comment.keys.post.title == "x"), Comment.all.including(Comment.keys.post),
            Post.keys.comments.of(Post("a", 1)), Comment.with(id: "c3"),
        ]
        for query in queries {
            let read = try await store.read { try Answers($0, query) }
            let written = try await store.writeReturning { try Answers($0, query) }.result
            #expect(read == written)
            #expect(try await store.fetch(query) == read.records)
            #expect(try await store.count(query) == read.records.count)
            #expect(try await store.fetch(query.sum(Comment.keys.place)) == read.sum)
            #expect(try await store.plan(query).summary == read.plan)
            var passed: [Comment] = []
            try await store.forEach(query) { comment in
                passed.append(comment)
                return true
            }
            #expect(passed == read.records)
        }
        let dynamic = Record.all(of: "Comment").where(.field("place", .greater(1)))
        let found = try await store.read { try ($0.fetch(dynamic), $0.count(dynamic)) }
        #expect(found.0.count == 4 && found.1 == 4)
        #expect(try await store.writeReturning { try $0.fetch(dynamic) }.result == found.0)
    }

    @Test("an aggregate counts only the records of the page", arguments: Adapter.allCases)
    func aggregates(adapter: Adapter) async throws {
        let store = try await Self.filled(adapter)
        let place = Comment.keys.place
        #expect(try await store.fetch(Comment.all.sum(place)) == 15)
        #expect(try await store.fetch(Self.comments.limit(2).sum(place)) == 9)
        #expect(try await store.fetch(Self.comments.limit(2).min(place)) == 4)
        #expect(try await store.fetch(Self.comments.page(Page(offset: 1, limit: 2)).max(place)) == 4)
        #expect(try await store.fetch(Self.comments.limit(2).average(place)) == 4.5)
        #expect(try await store.fetch(Comment.all.limit(0).max(place)) == nil)
    }

    @Test("the records of a relation can be counted, observed and deleted like those of a model")
    func relations() async throws {
        let store = try await Self.filled(.lmdb)
        let ofA = Post.keys.comments.of(Post("a", 1))
        #expect(try await store.fetch(ofA.where(Comment.keys.place > 2)).map(\.id).sorted() == ["c3", "c5"])
        #expect(try await store.fetch(Comment.keys.post.of(Comment(id: "new", post: ("b", 1)))).first?.title == "y")
        #expect(try await store.fetch(Comment.keys.post.of(Comment(id: "new"))).isEmpty)
        var results = store.observe(ofA).makeAsyncIterator()
        #expect(try await results.next()?.items.count == 3)
        try await store.delete(Comment.self, id: "c1")
        #expect(try await results.next()?.items.count == 2)
        #expect(try await store.writeReturning { try $0.delete(all: ofA) }.result == 2)
        #expect(try await results.next()?.items.isEmpty == true)
        #expect(try await store.delete(all: Post.keys.comments.of(Post("b", 1)).limit(1)).eventCount == 1)
        #expect(try await store.count(Comment.all) == 2)
        await #expect(throws: DataStoreError.self) { for try await _ in store.changes(of: ofA) {} }
    }

    @Test("a live query of one record shows its values, its deletion and its return")
    func oneRecord() async throws {
        let store = try await Self.filled(.inMemory)
        var results = store.observe(Comment.with(id: "c2")).makeAsyncIterator()
        #expect(try await results.next()?.items.first?.place == 2)
        try await store.save(Comment(id: "c4", place: 9, post: ("a", 1)))
        try await store.save(Comment(id: "c2", place: 7, post: ("a", 1)))
        #expect(try await results.next()?.items.first?.place == 7)
        try await store.delete(Comment.self, id: "c2")
        #expect(try await results.next()?.items.isEmpty == true)
        try await store.save(Comment(id: "c2", place: 8, post: ("a", 1)))
        #expect(try await results.next()?.items.map(\.place) == [8])
    }

    /// Two posts, with the comments c0 to c5 in turn.
    private static func filled(_ adapter: Adapter) async throws -> DataStore {
        let store = try await DataStore.scratch(adapter)
        try await store.save([Post("a", 1, title: "x"), Post("b", 1, title: "y")])
        try await store.save((0..<6).map { Comment(id: "c\($0)", place: $0, post: ($0 % 2 == 1 ? "a" : "b", 1)) })
        return store
    }

    /// The answers of one view to a query.
    private struct Answers: Equatable, Sendable {
        let records: [Comment]
        let count: Int
        let sum: Int
        let greatest: Int?
        let plan: String
        let first: Comment?

        init(_ reader: StoreReader, _ query: Query<Comment>) throws {
            records = try reader.fetch(query)
            count = try reader.count(query)
            sum = try reader.fetch(query.sum(Comment.keys.place))
            greatest = try reader.fetch(query.max(Comment.keys.place))
            plan = try reader.plan(query).summary
            first = try records.first.flatMap { try reader.query(Comment.self, id: $0.id) }
        }
    }
}

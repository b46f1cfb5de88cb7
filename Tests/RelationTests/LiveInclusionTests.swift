import TestStores
import Testing
import Tidelog
import TidelogCore

@Suite("Live queries with related records")
struct LiveInclusionTests {
    @Test(
        "a change of a record or of a related record that is loaded gives a result, and other changes do not",
        arguments: Adapter.allCases)
    func follows(adapter: Adapter) async throws {
        let store = try await DataStore.scratch(adapter)
        try await store.save([Post("a", 1, title: "x"), Post("b", 1, title: "y")])
        try await store.save(Comment(id: "c1", post: ("a", 1)))
        let live = store.observe(Post.where(Post.keys.title != nil).including(Post.keys.comments, Post.keys.tags))
        var results = live.makeAsyncIterator()
        let first = try #require(try await results.next())
        #expect(try await shown(first.items) == ["x": ["c1"], "y": []])

        try await store.save(Comment(id: "c2", post: ("b", 1)))
        let second = try #require(try await results.next())
        #expect(try await shown(second.items) == ["x": ["c1"], "y": ["c2"]])

        // Records that are not part of the result do not change it.
        try await store.save(Comment(id: "c3", post: ("nobody", 1)), requireParents: false)
        try await store.save(Post("a", 1, title: "z"))
        let third = try #require(try await results.next())
        #expect(try await shown(third.items) == ["z": ["c1"], "y": ["c2"]])

        try await store.delete(Comment.self, id: "c1")
        let last = try #require(try await results.next())
        #expect(try await shown(last.items) == ["z": [], "y": ["c2"]])
        #expect(first.sequence < second.sequence && second.sequence < third.sequence)
        try await store.close()
    }

    @Test(
        "a live query over relations is synced only if all models that it reads are synced",
        arguments: Adapter.allCases)
    func synced(adapter: Adapter) async throws {
        let store = try await DataStore.scratch(adapter)
        try await store.save(Post("a", 1, title: "x"))
        try await store.save(Comment(id: "c1", place: 1, post: ("a", 1)))
        var included = store.observe(Post.all.including(Post.keys.tags)).makeAsyncIterator()
        var selected = store.observe(Post.where(Post.keys.comments.any(Comment.keys.place == 1)))
            .makeAsyncIterator()
        let first = try #require(try await included.next())
        #expect(!first.isSynced)
        #expect(try await selected.next()?.isSynced == false)
        try store.setSynced(true, model: "Post")
        try store.setSynced(true, model: "Tag")
        try store.setSynced(true, model: "Comment")
        let second = try #require(try await selected.next())
        #expect(second.isSynced && second.items.map(\.slug) == ["a"] && second.sequence == first.sequence)
        // The query also reads the records that join posts and tags.
        try await store.save(Post("b", 1, title: "y"))
        let third = try #require(try await included.next())
        #expect(!third.isSynced && third.items.count == 2)
        try store.setSynced(true, model: "PostTags")
        let fourth = try #require(try await included.next())
        #expect(fourth.isSynced && fourth.items.count == 2 && fourth.sequence == third.sequence)
        try store.setSynced(false, model: "Tag")
        #expect(try await included.next()?.isSynced == false)
        try await store.close()
    }

    /// The titles of posts, with the ids of the comments that were loaded with the posts. This does not read the store.
    private func shown(_ posts: [Post]) async throws -> [String: [String]] {
        var shown: [String: [String]] = [:]
        for post in posts { shown[post.title ?? ""] = try await post.comments.all().map(\.id) }
        return shown
    }
}

import TestStores
import Testing
import Tidelog

@Suite("Live queries with what their relations lead to")
struct LiveInclusionTests {
    @Test(
        "a change of a record or of one that is loaded with it gives a result, any other none",
        arguments: Adapter.allCases)
    func follows(adapter: Adapter) async throws {
        let store = try await DataStore.scratch(adapter)
        try await store.save([Post("a", 1, title: "x"), Post("b", 1, title: "y")])
        try await store.save(Comment(id: "c1", post: ("a", 1)))
        let live = store.observeQuery(
            Post.self, where: Post.keys.title != nil, including: Post.keys.comments, Post.keys.tags)
        var results = live.makeAsyncIterator()
        let first = try #require(try await results.next())
        #expect(try await shown(first.items) == ["x": ["c1"], "y": []])

        try await store.save(Comment(id: "c2", post: ("b", 1)))
        let second = try #require(try await results.next())
        #expect(try await shown(second.items) == ["x": ["c1"], "y": ["c2"]])

        // What is not in the result changes nothing in it.
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

    /// The titles of posts with the ids of the comments that were loaded with them: nothing is read.
    private func shown(_ posts: [Post]) async throws -> [String: [String]] {
        var shown: [String: [String]] = [:]
        for post in posts { shown[post.title ?? ""] = try await post.comments.all().map(\.id) }
        return shown
    }
}

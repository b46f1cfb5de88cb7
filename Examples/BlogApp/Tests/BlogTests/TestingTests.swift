import Blog
import Testing
import Tidelog

/// The tests of the guide's section on testing.
@Suite("Tests of an app")
struct TestingTests {
    @Test("a published post is in the list of the best posts")
    func best() async throws {
        let store = try await DataStore.inMemory(schema: .app)
        let ann = Author(name: "Ann")
        try await store.save(ann)
        try await store.save(Post(title: "Tides", status: .published, rating: 5, author: ann))
        try await store.save(Post(title: "Ebb", rating: 3, author: ann))

        let best = try await store.fetch(Post.where(Post.keys.rating > 4))
        #expect(best.map(\.title) == ["Tides"])
        try await store.close()
    }

    @Test("a live query has the first result and the result after a change")
    func live() async throws {
        let store = try await DataStore.inMemory(schema: .app)
        let ann = Author(name: "Ann")
        try await store.save(ann)
        var results = store.observe(Post.all).makeAsyncIterator()
        #expect(try await results.next()?.items.isEmpty == true)
        try await store.save(Post(title: "Tides", author: ann))
        #expect(try await results.next()?.items.map(\.title) == ["Tides"])
        try await store.close()
    }
}

import FaultHarness
import Foundation
import Testing
@_spi(Adapters) import Tidelog
@_spi(Adapters) import TidelogCore
import TidelogSynchronization

@Suite("Reads that relations need") struct LookUpTests {
    /// A store whose adapter counts reads. It has 3 authors, 300 posts, 600 comments and 3 tags, and each post has two tags.
    private func counted() async throws -> (DataStore, CountingAdapter) {
        let made = Mutex<CountingAdapter?>(nil)
        let base = AdapterFactory.inMemory()
        let factory = AdapterFactory(name: "counting", isPersistent: false) { directory, isReadOnly in
            let adapter = CountingAdapter(try base.make(directory, isReadOnly))
            made.withLock { $0 = adapter }
            return adapter
        }
        let store = try await DataStore.open(
            at: TemporaryDirectory.pathUntilExit("relations"), schema: Blog.schema, adapter: factory,
            configuration: DataStoreConfiguration(durability: .relaxed))
        try await store.write { transaction in
            for number in 0..<3 {
                try transaction.save(Author(id: "a\(number)", name: "x"))
                try transaction.save(Tag(id: "t\(number)"))
            }
            for number in 0..<300 {
                try transaction.save(Post("s\(number)", 1, title: "x", authorID: "a\(number % 3)"))
                for side in 0..<2 {
                    try transaction.save(Comment(id: "c\(number) \(side)", post: ("s\(number)", 1)))
                    try transaction.save(
                        PostTags(id: "j\(number) \(side)", post: ("s\(number)", 1), tagID: "t\((number + side) % 3)"))
                }
            }
        }
        return (store, try #require(made.withLock { $0 }))
    }

    @Test("eager loading looks up each related record once") func eager() async throws {
        let (store, adapter) = try await counted()
        let page = Page.first(60)
        let authors = try await adapter.counted {
            _ = try await store.fetch(Post.all.page(page).including(Post.keys.author))
        }
        #expect(authors == (gets: 3, fetches: 1))
        let comments = try await adapter.counted {
            _ = try await store.fetch(Post.all.page(page).including(Post.keys.comments))
        }
        #expect(comments == (gets: 0, fetches: 1 + 60), "one range of the index for each post")
        let posts = try await adapter.counted {
            let found = try await store.fetch(Comment.where(Comment.keys.place == 0).including(Comment.keys.post))
            for comment in found { _ = try await comment.post }
        }
        #expect(posts == (gets: 300, fetches: 1), "a loaded record is not read again")
        let tags = try await adapter.counted {
            _ = try await store.fetch(Post.all.page(page).including(Post.keys.tags))
        }
        #expect(tags == (gets: 3, fetches: 1 + 60))
    }

    @Test("a predicate on related records needs no look-up for few matches, and one per related record for many")
    func predicates() async throws {
        let (store, adapter) = try await counted()
        let few = try await adapter.counted {
            let count = try await store.count(Comment.where(Comment.keys.post.slug == "s7"))
            #expect(count == 2)
        }
        #expect(few == (gets: 0, fetches: 1), "the count itself is no fetch")
        let many = try await adapter.counted {
            let count = try await store.count(Comment.where(Comment.keys.post.title == "x"))
            #expect(count == 600)
        }
        #expect(many == (gets: 300, fetches: 2))
    }
}

import Blog
import Foundation
import Testing
import Tidelog

/// Calls in the style of apps for Amplify DataStore. The file imports all of Foundation.
@Suite("Code in Amplify's style")
struct AmplifyStyleTests {
    @Test("initializers take parameters in the schema's order, and predicates know their model beside Foundation's")
    func models() async throws {
        let store = try await DataStore.inMemory(schema: .app)
        let author = Author(name: "Ann")
        let post = Post(title: "Tides", status: .published, rating: 5, author: author)
        try await store.save(author)
        try await store.save(post)
        try await store.save(Comment(text: "Wet!", post: post))

        // Foundation also has a type with this name.
        let none: Predicate<Int>? = nil
        #expect(none == nil)
        let good: ModelPredicate<Post> = Post.keys.rating > 4 && Post.keys.status == PostStatus.published
        let posts = try await store.query(
            Post.self, where: good && Post.keys.title.contains("IDE", ignoringCase: true),
            sort: .descending(Post.keys.rating), page: .page(0, limit: 10))
        #expect(posts == [post])
        #expect(try await store.query(Post.self, where: Post.keys.rating.in([4, 5])).count == 1)
        #expect(try await store.query(Comment.self, where: Comment.keys.post.title.endsWith("des")).count == 1)
        #expect(try await store.query(Post.self, page: .after(post, limit: 10)).isEmpty)
        try await store.close()
    }

    @Test("temporals have Amplify's names, and errors say what happened")
    func values() async throws {
        let date = Date(timeIntervalSince1970: 1_795_000_000)
        #expect(Temporal.DateTime(date).iso8601String == "2026-11-18T11:06:40Z")
        #expect(Temporal.DateTime(date).foundationDate == date)
        #expect(try Temporal.Date(iso8601String: "2026-01-31") + .months(1) == Temporal.Date("2026-02-28"))
        #expect(abs(Temporal.DateTime.now().foundationDate.timeIntervalSinceNow) < 60)
        #expect(try Temporal.Time("10:30:00") - .minutes(5) == Temporal.Time("10:25:00"))

        let store = try await DataStore.inMemory(schema: .app)
        let post = Post(title: "Tides", author: Author(name: "Ann"))
        do {
            try await store.save(post, where: Post.keys.title == "Ebb", requireParents: false)
            Issue.record("a condition on a record that is not there holds")
        } catch {
            #expect(error.localizedDescription.contains("There is no record of Post to check the condition on."))
        }
        try await store.close()
    }
}

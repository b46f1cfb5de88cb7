import Tidelog

/// The calls of Tidelog that correspond to the verbs of Amplify DataStore.
public enum Verbs {
    /// Uses each verb on `store`, which must be empty. Returns a line for each result.
    public static func run(on store: DataStore) async throws -> [String] {
        var lines: [String] = []
        let author = Author(name: "Ann")
        try await store.save(author)
        var post = Post(title: "[Draft] Tides", rating: 3, author: author)
        try await store.save(post)
        post.title = "Tides"
        try await store.save(post, where: Post.keys.title.beginsWith("[Draft]"))
        try await store.insert(Comment(text: "Wet!", post: post))

        let found = try await store.query(Post.self, id: post.id)
        lines.append("found: \(found?.title ?? "nothing")")
        let rated = Post.where(Post.keys.rating > 2 || !Post.keys.rating.exists())
        let page = try await store.fetch(rated.sorted(by: .descending(Post.keys.rating)).page(.page(0, limit: 10)))
        lines.append("on the first page: \(page.count)")

        let writer = try await found?.author
        let comments = try await found?.comments.all() ?? []
        lines.append("\(comments.count) comment on the post of \(writer?.name ?? "nobody")")

        for try await result in store.observe(Post.where(Post.keys.rating > 2)) {
            lines.append("\(result.items.count) at event \(result.sequence), synced: \(result.isSynced)")
            break
        }

        try await store.delete(all: Comment.where(Comment.keys.text.contains("Wet")))
        // This deletes the author, and also her posts.
        let commit = try await store.delete(Author.self, id: author.id)
        let left = try await store.count(Post.all)
        lines.append("deleted by events \(commit.first) to \(commit.last); posts left: \(left)")
        try await store.clear()
        return lines
    }
}

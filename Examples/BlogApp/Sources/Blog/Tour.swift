import Tidelog

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Shows how an app uses generated models.
public enum Tour {
    /// Saves records, queries them and follows their relations in a new store at `directory`. Returns a line for each result.
    public static func run(at directory: URL) async throws -> [String] {
        let store = try await DataStore.open(at: directory, schema: .app, adapter: .lmdb())
        let ann = Author(name: "Ann")
        let tides = Post(title: "Tides", status: .published, rating: 5, author: ann)
        try await store.write { transaction in
            try transaction.save(ann)
            try transaction.save(tides)
            try transaction.save(Post(title: "Ebb", author: ann))
            try transaction.save([Comment(text: "Wet!", post: tides), Comment(text: "Salty!", post: tides)])
        }

        var lines: [String] = []
        for post in try await store.fetch(Post.where(Post.keys.rating > 4 && Post.keys.status == .published)) {
            lines.append("\(post.title) by \(try await post.author.name)")
            for try await comment in post.comments { lines.append("- \(comment.text)") }
        }
        let early = try await store.fetch(Post.byAuthor(authorID: ann.id, title: .less("T")))
        lines.append("before T: \(early.map(\.title))")
        let remarks = try await store.fetch(
            Comment.where(Comment.keys.post.title == "Tides").including(Comment.keys.post))
        lines.append("on Tides: \(remarks.count)")
        let shown = try await store.query(Post.self, id: tides.id)
        lines.append("shown: \(shown?.title ?? "nothing")")
        try await store.close()
        return lines
    }
}

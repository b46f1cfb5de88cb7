import Testing
import Tidelog

@Suite("Conditions of deletions by a predicate") struct DeletionConditionTests {
    /// The id and the condition of each deletion after `head`, in the order of the log.
    private func deletions(after head: Position, in store: DataStore) async throws -> [Deletion] {
        var deletions: [Deletion] = []
        let end = try store.head.sequence
        guard end > head.sequence else { return [] }
        for try await event in store.events(after: head.sequence) {
            #expect(event.kind == .deleted)
            deletions.append(
                Deletion(model: event.model ?? "", id: Self.text(event.recordID), condition: event.condition))
            if event.sequence == end { break }
        }
        return deletions
    }

    /// The values of `id`, separated by slashes. The values are texts and numbers.
    private static func text(_ id: RecordID?) -> String {
        let components = (id?.components ?? []).map { component in
            switch component {
            case .string(let text): text
            case .int(let number): "\(number)"
            default: "?"
            }
        }
        return components.joined(separator: "/")
    }

    /// The event of a deletion.
    private struct Deletion: Hashable {
        let model: String
        let id: String
        let condition: String?
    }

    /// Saves three posts, each with a comment. A predicate on the title selects two of the posts.
    private func store(_ adapter: Adapter) async throws -> DataStore {
        let store = try await DataStore.scratch(adapter)
        try await store.save([Post("a", 1, title: "x"), Post("b", 1, title: "x"), Post("c", 1, title: "y")])
        try await store.save(["a", "b", "c"].map { Comment(id: "on \($0)", place: 1, post: ($0, 1)) })
        return store
    }

    /// Deletes posts by a predicate, in one of four ways.
    private func delete(_ way: Int, where predicate: ModelPredicate<Post>, in store: DataStore) async throws {
        switch way {
        case 0: try await store.delete(all: Post.where(predicate))
        case 1: try await store.delete(all: Record.all(of: "Post").where(predicate.queryPredicate))
        case 2: _ = try await store.write { try $0.delete(all: Post.where(predicate)) }
        default:
            _ = try await store.write { try $0.delete(all: Record.all(of: "Post").where(predicate.queryPredicate)) }
        }
    }

    @Test(
        "the event of each selected record has the predicate's text, and the events of its children have none",
        arguments: Adapter.allCases, 0..<4)
    func selected(adapter: Adapter, way: Int) async throws {
        let store = try await store(adapter)
        let head = try store.head
        try await delete(way, where: Post.keys.title == "x", in: store)
        let text = #"title == "x""#
        let deleted = try await deletions(after: head, in: store)
        #expect(
            Set(deleted) == [
                Deletion(model: "Post", id: "a/1", condition: text),
                Deletion(model: "Post", id: "b/1", condition: text),
                Deletion(model: "Comment", id: "on a", condition: nil),
                Deletion(model: "Comment", id: "on b", condition: nil),
            ])
        #expect(try QueryPredicate(parsing: text) == (Post.keys.title == "x").queryPredicate)
        try await store.close()
    }

    @Test(
        "the events of a deletion of all records, or by a predicate that follows relations, have no condition",
        arguments: Adapter.allCases, 0..<4)
    func unconditional(adapter: Adapter, way: Int) async throws {
        let store = try await store(adapter)
        for predicate in [Post.keys.comments.any(Comment.keys.place == 1) && Post.keys.title == "x", .all] {
            let head = try store.head
            try await delete(way, where: predicate, in: store)
            let deleted = try await deletions(after: head, in: store)
            #expect(!deleted.isEmpty && deleted.allSatisfy { $0.condition == nil })
        }
        #expect(try await store.count(Post.all) == 0)
        try await store.close()
    }

    @Test(
        "a selected record that belongs to another selected record has the condition too", arguments: Adapter.allCases,
        [true, false])
    func selectedChild(adapter: Adapter, inWrite: Bool) async throws {
        let store = try await DataStore.scratch(adapter)
        try await store.save([
            Category(id: "a"), Category(id: "b", parentID: "a"), Category(id: "z", parentID: "b"),
            Category(id: "x"),
        ])
        let head = try store.head
        let predicate = Category.keys.id < "c"
        if inWrite {
            try await store.write { transaction in
                let count = try transaction.delete(all: Category.where(predicate))
                #expect(count == 2)
            }
        } else {
            try await store.delete(all: Category.where(predicate))
        }
        let text = #"id < "c""#
        #expect(
            try await deletions(after: head, in: store) == [
                Deletion(model: "Category", id: "z", condition: nil),
                Deletion(model: "Category", id: "b", condition: text),
                Deletion(model: "Category", id: "a", condition: text),
            ])
        try await store.close()
    }

    @Test(
        "conditions that exceed a commit split a deletion into several commits, and a transaction is refused",
        arguments: [
            true, false,
        ]) func large(cascading: Bool) async throws
    {
        let store = try await DataStore.scratch(.lmdb)
        try await store.save((0..<70).map { Post("p\(1_000 + $0)", 1, title: "x") })
        // 70 conditions of 1 MiB each need more than one commit.
        let predicate = Post.keys.title != String(repeating: "y", count: 1 << 20)
        let head = try store.head
        let error = await #expect(throws: DataStoreError.self) {
            try await store.write { try $0.delete(all: Post.where(predicate), cascading: cascading) }
        }
        #expect(error?.code == .transactionTooLarge)
        #expect(try store.head == head)
        let bulk = try await store.delete(all: Post.where(predicate), cascading: cascading)
        #expect(bulk.eventCount == 70 && bulk.commitCount == 2)
        let deleted = try await deletions(after: head, in: store)
        #expect(deleted.map(\.id) == (0..<70).map { "p\(1_000 + $0)/1" })
        #expect(deleted.allSatisfy { $0.condition == predicate.queryPredicate.text })
        try await store.close()
    }
}

import Testing
import Tidelog

@Suite("Predicates on related records") struct RelatedPredicateTests {
    @Test("queries, counts, aggregates and pages give the same results as plain arrays", arguments: Adapter.allCases)
    func queries(adapter: Adapter) async throws {
        var dice = Dice(1)
        // The sizes are below and above the number of related records that are turned into equalities.
        for size in [4, 12, 12, 40, 240] {
            let world = World(&dice, size: size)
            let store = try await DataStore.scratch(adapter)
            try await world.save(in: store)
            for _ in 0..<(size > 100 ? 5 : 15) {
                let comments = Condition.random(Condition<Comment>.choices, &dice)
                let foundComments = world.comments.filter { comments.holds($0, world) }.sorted { $0.id < $1.id }
                try await check(store, comments.predicate, foundComments, \.id, &dice)
                let sum = try await store.fetch(Comment.where(comments.predicate).sum(Comment.keys.place))
                #expect(sum == foundComments.reduce(0) { $0 + $1.place })
                let greatest = try await store.fetch(Comment.where(comments.predicate).max(Comment.keys.place))
                #expect(greatest == foundComments.map(\.place).max())
                let posts = Condition.random(Condition<Post>.choices, &dice)
                let foundPosts = world.posts.filter { posts.holds($0, world) }
                    .sorted { ($0.slug, $0.year) < ($1.slug, $1.year) }
                try await check(store, posts.predicate, foundPosts, \.modelID, &dice)
                let categories = Condition.random(Condition<Category>.choices, &dice)
                let foundCategories = world.categories.filter { categories.holds($0, world) }.sorted { $0.id < $1.id }
                try await check(store, categories.predicate, foundCategories, \.id, &dice)
            }
            try await store.close()
        }
    }

    private func check<Value: Model & Hashable, ID: Hashable>(
        _ store: DataStore, _ predicate: ModelPredicate<Value>, _ expected: [Value], _ id: (Value) -> ID,
        _ dice: inout Dice
    ) async throws {
        let text = Testing.Comment(rawValue: predicate.queryPredicate.text)
        #expect(try await store.query(Value.self, where: predicate) == expected, text)
        #expect(try await store.count(Value.where(predicate)) == expected.count, text)
        let page = Page(offset: dice.roll(5), limit: dice.roll(6))
        let part = Array(expected.dropFirst(page.offset).prefix(page.limit ?? 0))
        #expect(try await store.query(Value.self, where: predicate, page: page) == part, text)
        let records = try await store.fetch(
            Record.all(of: Value.schema.name).where(predicate.queryPredicate).page(page))
        #expect(records.count == part.count, text)
        #expect(try QueryPredicate(parsing: predicate.queryPredicate.text) == predicate.queryPredicate, text)
    }

    @Test(
        "a predicate on related records sees the saves of its own write, and selects the records to delete",
        arguments: Adapter.allCases)
    func transactions(adapter: Adapter) async throws {
        let store = try await DataStore.scratch(adapter)
        try await store.write { transaction in
            try transaction.save(Post("a", 1, title: "x"))
            try transaction.save(Post("b", 1, title: "y"))
            for number in 0..<4 {
                try transaction.save(Comment(id: "c\(number)", post: (number < 2 ? "a" : "b", 1)))
            }
            #expect(try transaction.count(Comment.where(Comment.keys.post.title == "x")) == 2)
            try transaction.save(Post("b", 1, title: "x"))
            #expect(try transaction.fetch(Comment.where(Comment.keys.post.title == "x")).count == 4)
            #expect(try transaction.delete(all: Comment.where(Comment.keys.post.slug == "b")) == 2)
        }
        #expect(try await store.query(Comment.self).map(\.id) == ["c0", "c1"])
        try await store.delete(all: Comment.where(Comment.keys.post.title == "x" && Comment.keys.place == 0))
        #expect(try await store.count(Comment.all) == 0)
    }

    @Test(
        "related records can be selected by a predicate on their own relations, sorted and in pages",
        arguments: Adapter.allCases)
    func chosenRelated(adapter: Adapter) async throws {
        let store = try await DataStore.scratch(adapter)
        // More posts match than are turned into equalities, so the posts of each tag are looked up.
        let count = 180
        let posts = (0..<count).map { Post("s\($0)", 1, title: $0 % 3 == 0 ? "y" : "x") } + [Post("all", 1)]
        // The names have many lengths, so that no row fits in the memory of another row.
        let tags = (0..<count).map { number in
            Tag(id: "t\(1_000 + number * 7 % count)", name: String(repeating: "n", count: number % 23))
        }
        var joins: [PostTags] = []
        for (number, tag) in tags.enumerated() {
            joins.append(PostTags(id: "a\(number)", post: ("all", 1), tagID: tag.id))
            joins.append(PostTags(id: "b\(number)", post: ("s\(number)", 1), tagID: tag.id))
        }
        try await store.save(posts)
        try await store.save(tags)
        try await store.save(joins)
        let post = try #require(try await store.query(Post.self, id: ModelID(["all", 1])))
        let expected = tags.enumerated().filter { $0.offset % 3 != 0 }.map(\.element).sorted { $0.id < $1.id }
        let found = post.tags.where(Tag.keys.posts.title == "x")
        #expect(try await found.all() == expected)
        #expect(try await found.count() == expected.count)
        #expect(try await found.page(Page(offset: 10, limit: 20)) == Array(expected[10..<30]))
        let sorted = expected.sorted { ($0.name.count, $1.id) > ($1.name.count, $0.id) }
        let descending = found.sorted(by: .descending(Tag.keys.name))
        #expect(try await descending.all() == sorted)
        #expect(try await descending.page(Page(offset: 10, limit: 20)) == Array(sorted[10..<30]))
        var iterated: [Tag] = []
        for try await tag in descending { iterated.append(tag) }
        #expect(iterated == sorted)
    }

    @Test("a predicate with one matching related record uses the index of its key") func plan() async throws {
        let store = try await DataStore.scratch(.lmdb)
        try await store.save([Post("a", 1, title: "x"), Post("b", 1, title: "y")])
        let plan = try await store.read { try $0.plan(Comment.where(Comment.keys.post.title == "x")) }
        #expect(plan.index == "byPost")
    }

    @Test("a predicate on related records is refused as a write's condition, as an observer's filter, and if nested")
    func refusals() async throws {
        let store = try await DataStore.scratch()
        try await store.save(Post("a", 1))
        try await store.save(Comment(id: "c", post: ("a", 1)))
        let predicate = Comment.keys.post.title == "x"
        await expectInvalid { try await store.save(Comment(id: "c", post: ("a", 1)), where: predicate) }
        await expectInvalid { try await store.delete(Comment.self, id: "c", where: predicate) }
        await expectInvalid { for try await _ in store.changes(of: Comment.where(predicate)) {} }
        await expectInvalid { _ = try await store.query(Post.self, where: Post.keys.comments.any(predicate)) }
        await expectInvalid { _ = try await store.query(Comment.self, where: ModelPredicate(.related("nobody", .all))) }
        await expectInvalid {
            _ = try await store.query(
                Comment.self, where: ModelPredicate(.related("post", .field("nothing", .equal("x")))))
        }
        let misspelled = await #expect(throws: DataStoreError.self) {
            _ = try await store.query(Comment.self, where: ModelPredicate(.related("posd", .all)))
        }
        #expect(misspelled?.message.hasSuffix("did you mean \"post\"?") == true)
        let nested = await #expect(throws: DataStoreError.self) {
            _ = try await store.query(Post.self, where: Post.keys.comments.any(predicate))
        }
        #expect(nested?.model == "Post")
        #expect(
            nested?.message
                == "The predicate on Post follows the relations comments and then post. It may follow only one.")
        let deep = (0..<300).reduce(predicate) { predicate, _ in .and([predicate, .all]) }
        await expectInvalid { _ = try await store.query(Comment.self, where: deep) }
    }

    private func expectInvalid(_ body: () async throws -> Void) async {
        let error = await #expect(throws: DataStoreError.self) { try await body() }
        #expect(error?.code == .invalidPredicate)
    }

    @Test("a live query follows changes of related records") func live() async throws {
        let store = try await DataStore.scratch()
        try await store.save([Post("a", 1, title: "x"), Post("b", 1, title: "y")])
        try await store.save([Comment(id: "1", post: ("a", 1)), Comment(id: "2", post: ("b", 1))])
        var results = store.observe(Comment.where(Comment.keys.post.title == "x")).makeAsyncIterator()
        #expect(try await results.next()?.items.map(\.id) == ["1"])
        try await store.save(Tag(id: "nothing to do with it"))
        let commit = try await store.save(Post("b", 1, title: "x"))
        let second = try await results.next()
        #expect(second?.items.map(\.id) == ["1", "2"])
        #expect(second?.sequence == commit.last)
        try await store.delete(Post.self, id: ModelID(["a", 1]), cascading: false)
        #expect(try await results.next()?.items.map(\.id) == ["2"])
        try await store.save(Comment(id: "3", post: ("b", 1)))
        #expect(try await results.next()?.items.map(\.id) == ["2", "3"])
    }
}

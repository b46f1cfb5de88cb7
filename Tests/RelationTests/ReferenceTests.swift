import TestWaiting
import Testing
import Tidelog

@Suite("Lazy and eager relations") struct ReferenceTests {
    @Test("every relation gives the same records as plain arrays, lazily and eagerly", arguments: Adapter.allCases)
    func follows(adapter: Adapter) async throws {
        var dice = Dice(3)
        for size in [3, 10, 30] {
            let world = World(&dice, size: size)
            let store = try await DataStore.scratch(adapter)
            try await world.save(in: store)
            for post in try await store.query(Post.self) { try await check(post, world, store) }
            for post in try await store.fetch(Post.all.including(Post.keys.author, Post.keys.comments, Post.keys.tags))
            {
                try await check(post, world, store)
            }
            let plain = try await store.query(Author.self)
            let loaded = try await store.fetch(Author.all.including(Author.keys.posts, Author.keys.profile))
            #expect(plain == loaded)
            for author in plain + loaded {
                #expect(try await author.profile == world.profile(of: author))
                let posts = world.posts(of: author).sorted { ($0.slug, $0.year) < ($1.slug, $1.year) }
                #expect(try await author.posts.all() == posts)
            }
            for category in try await store.fetch(Category.all.including(Category.keys.children)) {
                #expect(try await category.parent == world.parent(of: category))
                #expect(try await Set(category.children.all()) == Set(world.children(of: category)))
            }
            for tag in try await store.query(Tag.self) {
                #expect(try await Set(tag.posts.all()) == Set(world.posts(of: tag)))
            }
            try await store.close()
        }
    }

    private func check(_ post: Post, _ world: World, _ store: DataStore) async throws {
        #expect(try await post.author == world.author(of: post))
        let comments = world.comments(of: post).sorted { ($0.place, $0.id) < ($1.place, $1.id) }
        #expect(try await post.comments.all() == comments)
        #expect(try await post.comments.count() == comments.count)
        #expect(try await post.comments.page(.page(1, limit: 2)) == Array(comments.dropFirst(2).prefix(2)))
        let reversed = comments.sorted { $0.id > $1.id }
        #expect(
            try await post.comments.sorted(by: Sort([Sort.Key("id", isDescending: true)])).all() == reversed)
        let far = post.comments.where(Comment.keys.place > 1)
        #expect(try await far.all() == comments.filter { $0.place > 1 })
        let tags = world.tags(of: post)
        #expect(try await post.tags.all() == tags)
        let sorted = tags.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
        #expect(try await post.tags.sorted(by: .ascending(Tag.keys.name)).all() == sorted)
        #expect(try await post.tags.where(Tag.keys.name == "x").count() == tags.count { $0.name == "x" })
        let (author, some, first) = try await store.read { snapshot in
            (
                try snapshot.fetch(Post.keys.author.of(post)).first,
                try snapshot.fetch(Post.keys.comments.of(post).page(.first(3))),
                try snapshot.fetch(Post.keys.tags.of(post)).first
            )
        }
        #expect(author == world.author(of: post))
        #expect(some == Array(comments.prefix(3)))
        #expect(first == tags.first)
    }

    @Test("a long list of related records is read page by page, complete and in order", arguments: Adapter.allCases)
    func pages(adapter: Adapter) async throws {
        let store = try await DataStore.scratch(adapter)
        try await store.save(Post("a", 1))
        let comments = (0..<250).map { Comment(id: "c\(1_000 + $0)", place: $0 % 7, post: ("a", 1)) }
        try await store.save(comments)
        try await store.save((0..<250).map { Category(id: "k\(1_000 + $0)", parentID: "root") })
        let tags = (0..<250).map { Tag(id: "t\(1_000 + $0)") }
        try await store.save(tags)
        try await store.save(tags.map { PostTags(id: "j\($0.id)", post: ("a", 1), tagID: $0.id) })
        var found: [String] = []
        for comment in try await store.fetch(Post.keys.comments.of(Post("a", 1))) { found.append(comment.id) }
        #expect(found == comments.sorted { ($0.place, $0.id) < ($1.place, $1.id) }.map(\.id))
        found = []
        for tag in try await store.fetch(Post.keys.tags.of(Post("a", 1))) { found.append(tag.id) }
        #expect(found == tags.map(\.id))
        found = []
        for child in try await store.fetch(Category.keys.children.of(Category(id: "root"))) {
            found.append(child.id)
            // A change during the iteration neither repeats nor hides other records.
            if found.count == 100 { try await store.delete(Category.self, id: "k1000") }
        }
        #expect(found.count == 250)
        #expect(Set(found).count == 250)
    }

    @Test("a reference can be set and cleared, and follows its key when the key changes") func setting() async throws {
        let store = try await DataStore.scratch()
        try await store.save([Author(id: "a", name: "Ann"), Author(id: "b", name: "Bob")])
        var post = Post("p", 1)
        post.setAuthor(Author(id: "a", name: "not saved"))
        #expect(post.authorID == "a")
        #expect(try await post.author?.name == "not saved", "the value that was set is read")
        try await store.save(post)
        var read = try #require(try await store.fetch(Post.all.including(Post.keys.author)).first)
        #expect(try await read.author?.name == "Ann")
        read.authorID = "b"
        #expect(try await read.author?.name == "Bob", "the loaded record is not the record of the key any more")
        read.setAuthor(nil)
        #expect(try await read.author == nil)
        try await store.save(read)
        #expect(try await store.query(Post.self, id: post.modelID)?.authorID == nil)
    }

    @Test("a relation of a value without a store, or with a closed store, fails with an error")
    func strangers() async throws {
        let stranger = await #expect(throws: DataStoreError.self) { _ = try await Post("a", 1).author }
        #expect(stranger?.code == .notFound)
        await #expect(throws: DataStoreError.self) { for try await _ in Post("a", 1).comments {} }
        let store = try await DataStore.scratch()
        try await store.save(Profile(id: "p", authorID: "a"))
        let profile = try #require(try await store.query(Profile.self, id: "p"))
        try await store.close()
        let closed = await #expect(throws: DataStoreError.self) { _ = try await profile.author }
        #expect(closed?.code == .closed)
    }

    @Test("values do not keep their store open") func lifetime() async throws {
        var store: DataStore? = try await DataStore.scratch()
        try await store?.save(Profile(id: "p", authorID: "a"))
        let profile = try #require(try await store?.query(Profile.self, id: "p"))
        store = nil
        // For a moment, the writer may hold the closure of the last write, and with it the store.
        var error: DataStoreError?
        try await eventually {
            do { _ = try await profile.author } catch let failure as DataStoreError { error = failure }
            return error != nil
        }
        #expect(error?.code == .closed)
    }

    @Test("a related record that is saved later can be reached, also after eager loading") func later() async throws {
        let store = try await DataStore.scratch()
        try await store.save(Profile(id: "p", authorID: "a"))
        let lazy = try #require(try await store.query(Profile.self, id: "p"))
        let eager = try #require(try await store.fetch(Profile.with(id: "p").including(Profile.keys.author)).first)
        for profile in [lazy, eager] { #expect(try await profile.author == nil) }
        try await store.save(Author(id: "a", name: "Ann"))
        for profile in [lazy, eager] { #expect(try await profile.author?.name == "Ann") }
    }

    @Test("within a write, relations lead to the records that the same write saved") func transactions() async throws {
        let store = try await DataStore.scratch()
        try await store.write { transaction in
            let post = Post("a", 1, authorID: "x")
            try transaction.save(post)
            try transaction.save(Author(id: "x"))
            try transaction.save(Comment(id: "c", post: ("a", 1)))
            #expect(try transaction.fetch(Post.keys.author.of(post)).first?.id == "x")
            #expect(try transaction.fetch(Post.keys.comments.of(post)).map(\.id) == ["c"])
        }
    }

    @Test("values are equal even if different relations were loaded") func equality() async throws {
        let store = try await DataStore.scratch()
        try await store.save(Post("a", 1, authorID: "x"))
        let loaded = try await store.fetch(Post.all.including(Post.keys.author, Post.keys.comments))
        #expect(loaded == [Post("a", 1, authorID: "x")])
        #expect(Set(loaded) == [Post("a", 1, authorID: "x")])
    }
}

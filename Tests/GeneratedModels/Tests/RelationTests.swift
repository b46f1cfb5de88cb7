import ReferenceModels
import Testing
import Tidelog

@Suite("Relations of generated models")
struct RelationTests {
    @Test("the tutorial's chat finds the users of a thread, and its messages in order")
    func chat() async throws {
        let store = try await DataStore.inMemory(schema: .chat)
        let now = try Temporal.DateTime("2026-11-21T10:00:00Z")
        let user = User(sub: "s", username: "ann", postcode: "SW1A 1AA", createdAt: now)
        let thread = Thread(name: "SW1A", location: "SW1A", createdAt: now)
        try await store.save(user)
        try await store.save(thread)
        try await store.save(UserThread(createdAt: now, user: user, thread: thread))
        let later = try Temporal.DateTime("2026-11-21T11:00:00Z")
        try await store.save([
            Message(body: "second", createdAt: later, thread: thread, author: user),
            Message(body: "first", createdAt: now, thread: thread, author: user),
        ])

        let found = try #require(try await store.fetch(Thread.byLocation(location: "SW1A")).first)
        #expect(try await found.associated.all().count == 1)
        let member = try #require(try await found.associated.first())
        #expect(try await member.user.username == "ann")
        #expect(try await member.thread == found)
        let messages = try await store.fetch(Message.byThread(threadID: found.id))
        #expect(messages.map(\.body) == ["first", "second"])
        let recent = try await store.fetch(Message.byThread(threadID: found.id, createdAt: .greater(now)))
        #expect(recent.map(\.body) == ["second"])
        #expect(try await store.query(Message.self, where: Message.keys.author.username == "ann").count == 2)
        #expect(try await store.query(Message.self, where: Message.keys.author.username == "bob").isEmpty)
        try await store.close()
    }

    @Test("the blog's references can be set, cleared and loaded, and both sides of many-to-many can be reached")
    func blog() async throws {
        let store = try await DataStore.inMemory(schema: .blog)
        let (blog, author, summary) = (Blog(name: "Tides"), Author(name: "Ann"), Summary(text: "short"))
        let post = Post(title: "[Tides] Ebb", keywords: ["sea"], blog: blog, author: author, summary: summary)
        let tag = Tag(label: "moon")
        try await store.write { transaction in
            try transaction.save(blog)
            try transaction.save(author)
            try transaction.save(summary)
            try transaction.save(post)
            try transaction.save(tag)
            try transaction.save(PostTags(post: post, tag: tag))
        }
        #expect(post.rating == 3 && post.status == .inReview)
        #expect(try await post.author == author)
        var stored = try #require(try await store.query(Post.self, id: post.id))
        #expect(stored == post)
        #expect(try await stored.blog == blog)
        #expect(try await stored.author == author)
        #expect(try await stored.summary == summary)
        #expect(try await stored.tags.all() == [tag])
        #expect(try await store.query(Tag.self, id: tag.id)?.posts.all() == [post])
        #expect(try await store.query(Blog.self, id: blog.id)?.posts.all() == [post])

        stored.setBlog(nil)
        #expect(stored.blogPostsId == nil)
        #expect(try await stored.blog == nil)
        try await store.save(stored)
        #expect(try await store.query(Blog.self, id: blog.id)?.posts.count() == 0)
        let loaded = try await store.fetch(Post.all.including(Post.keys.author, Post.keys.tags))
        #expect(try await loaded[0].author == author)
        #expect(try await loaded[0].tags.all() == [tag])
        try await store.close()
    }

    @Test("references over composite keys hold every part of the key")
    func composite() async throws {
        let store = try await DataStore.inMemory(schema: .ownedByTenants)
        let tenant = Tenant(region: "eu", number: 7)
        let depot = Depot(code: "d", wing: "w", floor: -1)
        try await store.save(tenant)
        try await store.save(depot)
        let contract = Contract(title: "lease", tenant: tenant)
        try await store.save(contract)
        let crate = Crate(number: "1", depot: depot)
        #expect((crate.depotCode, crate.depotWing, crate.depotFloor) == ("d", "w", -1))
        try await store.save(crate)
        #expect(tenant.id == .identifier(region: "eu", number: 7))
        #expect(
            try await store.query(Tenant.self, id: .identifier(region: "eu", number: 7))?.contracts.all() == [contract])
        #expect(try await store.query(Contract.self, id: contract.id)?.tenant == tenant)
        #expect(try await store.query(Depot.self, id: depot.id)?.crates.all() == [crate])
        #expect(try await store.query(Crate.self, id: "1")?.depot == depot)
        try await store.close()
    }

    @Test("a model may refer to itself, and two models may have two relations between them")
    func circles() async throws {
        let store = try await DataStore.inMemory(schema: .trees)
        let chief = Employee(name: "Ann")
        var report = Employee(name: "Bob", chief: chief)
        try await store.save([chief, report])
        #expect(try await store.query(Employee.self, id: chief.id)?.reports.all() == [report])
        report.setChief(nil)
        try await store.save(report)
        #expect(try await store.query(Employee.self, where: Employee.keys.chief.name == "Ann").isEmpty)
        try await store.close()

        let films = try await DataStore.inMemory(schema: .media)
        let (ann, bob) = (Artist(name: "Ann"), Artist(name: "Bob"))
        let film = Film(title: "Tide", directed: ann, written: bob)
        try await films.save([ann, bob])
        try await films.save(film)
        #expect(try await films.query(Artist.self, id: ann.id)?.directed.all() == [film])
        #expect(try await films.query(Artist.self, id: ann.id)?.written.all() == [])
        #expect(try await films.query(Film.self, id: film.id)?.written == bob)
        try await films.close()
    }
}

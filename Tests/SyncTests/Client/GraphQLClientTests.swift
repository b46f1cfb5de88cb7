import ClientModels
import Foundation
import ServerSupport
import TestWaiting
import Testing
import Tidelog
import TidelogServer

@testable import TidelogClientMachines
@testable import TidelogSync

/// The error that `body` throws. If it throws none, the result is `nil`, and the test fails.
func clientFailure(
    _ body: () async throws(GraphQLClientError) -> Void, sourceLocation: SourceLocation = #_sourceLocation
) async -> GraphQLClientError? {
    do throws(GraphQLClientError) {
        try await body()
    } catch {
        return error
    }
    Issue.record("It does not fail.", sourceLocation: sourceLocation)
    return nil
}

@Suite("A client of GraphQL", .timeLimit(.minutes(5)))
struct GraphQLClientTests {
    static func sdl(_ name: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let schema = root.appending(path: "GeneratedModels/Reference/\(name).graphql")
        return try String(contentsOf: schema, encoding: .utf8)
    }

    static func client(
        _ port: Int, _ schema: Schema = .blog, _ authorization: GraphQLAuthorization = .apiKey("da2-key")
    ) throws -> GraphQLClient {
        try GraphQLClient(
            endpoint: try #require(URL(string: "http://127.0.0.1:\(port)/graphql")), authorization: authorization,
            schema: schema)
    }

    /// Starts a server with the schema of the blog, and runs `body` with a client of it.
    private static func blog(_ body: (GraphQLClient) async throws -> Void) async throws {
        try await RunningServer.serve(try sdl("blog"), Authenticator(apiKey: "da2-key")) { port in
            try await body(try client(port))
        }
    }

    private static let post = Post(
        id: "p1", title: "Grüße \"🌊\"\n", rating: nil, status: .active, link: "https://example.com/a?b=c",
        keywords: ["one", "zwei"],
        place: Location(latitude: 1.5, longitude: -2, label: nil, tags: ["x", nil], matrix: [[1, 2], []]),
        places: [nil, Location(latitude: 0, longitude: 0, matrix: [])], authorPostsId: "a1")

    @Test("a record is created, read, updated and deleted, with every kind of value and the server's versions")
    func life() async throws {
        try await Self.blog { client in
            #expect(try await client.query(.get(Post.self, id: "p1")) == nil)
            let created = try await client.mutate(.create(Self.post))
            #expect(created.version == 1)
            var post = try #require(created.value)
            #expect(post.createdAt != nil)
            #expect(post.title == Self.post.title)
            #expect(post.place == Self.post.place)
            #expect(post.places == Self.post.places)
            #expect(post.keywords == Self.post.keywords)
            #expect(post.status == .active)
            #expect(post.link == Self.post.link)
            // The server gives a new record the default of its schema.
            #expect(post.rating == 3)
            #expect(try await client.query(.get(Post.self, id: "p1")) == created)

            post.rating = 5
            post.place = nil
            post.link = nil
            let updated = try await client.mutate(.update(post, version: 1))
            #expect(updated.version == 2)
            #expect(updated.value?.rating == 5)
            #expect(updated.value?.place == nil)
            #expect(updated.value?.link == nil)

            let deleted = try await client.mutate(.delete(Post.self, id: "p1", version: 2))
            guard case .deleted("p1", let state?, let last?) = deleted else {
                Issue.record("\(deleted)")
                return
            }
            #expect(state.version == 3)
            #expect(state.isDeleted)
            #expect(last.title == Self.post.title && last.rating == 5)
        }
    }

    @Test("a record with a composite key is addressed by all fields of the key")
    func compositeKeys() async throws {
        try await Self.blog { client in
            for edition in 1...3 {
                _ = try await client.mutate(.create(Volume(isbn: "978", edition: edition, title: "v\(edition)")))
            }
            let found = try await client.query(.get(Volume.self, id: ["978", 2]))
            #expect(found?.value?.title == "v2")
            _ = try await client.mutate(.delete(Volume.self, id: ["978", 2], version: found?.version))
            #expect(try await client.query(.get(Volume.self, id: ["978", 2]))?.value == nil)
            #expect(try await client.query(.get(Volume.self, id: ["978", 4])) == nil)
            let error = await clientFailure { () throws(GraphQLClientError) in
                _ = try await client.query(.get(Volume.self, id: "978"))
            }
            #expect(error?.code == .invalidValue)
        }
    }

    @Test("a list returns its records in pages, each record once")
    func pages() async throws {
        try await Self.blog { client in
            for number in 0..<25 {
                _ = try await client.mutate(.create(Blog(id: "b\(number)", name: "Blog \(number)")))
            }
            var ids: [String] = []
            var token: String?
            var pages = 0
            repeat {
                let page = try await client.query(.list(Blog.all.limit(10), nextToken: token))
                #expect(page.errors.isEmpty)
                ids += page.records.compactMap(\.value?.id)
                token = page.nextToken
                pages += 1
            } while token != nil
            #expect(ids.sorted() == (0..<25).map { "b\($0)" }.sorted())
            #expect(pages >= 3)
        }
    }

    private static let keys = Post.keys
    private static let predicates: [(ModelPredicate<Post>, [String])] = [
        (.all, ["1", "2", "3", "4"]), (keys.rating == 3, ["2"]), (keys.rating != 3, ["1", "3", "4"]),
        (keys.link == nil, ["2", "3", "4"]), (keys.link != nil, ["1"]), (keys.link != "https://l", ["2", "3", "4"]),
        (!(keys.link == "https://l"), ["2", "3", "4"]), (keys.link.notContains("x"), ["1", "2", "3", "4"]),
        (keys.rating > 3, ["3", "4"]), (keys.rating >= 4, ["3", "4"]), (keys.rating < 4, ["1", "2"]),
        (keys.rating <= 4, ["1", "2", "3"]), (keys.rating.between(3, 4), ["2", "3"]),
        (keys.title.beginsWith("San"), ["1", "2"]), (keys.title.contains("a"), ["1", "2", "4"]),
        (keys.title.notContains("a"), ["3"]), (keys.status == .active, ["1", "3"]),
        (keys.status != .active, ["2", "4"]), (keys.keywords.contains("k2"), ["2"]),
        (keys.keywords.notContains("k2"), ["1", "3", "4"]), (keys.id == "3", ["3"]),
        (keys.rating > 3 && keys.status == .active, ["3"]), (keys.link != nil || keys.title == "Oslo", ["1", "3"]),
        (!(keys.rating > 3), ["1", "2"]), (!(keys.rating > 3 || keys.title == "San Juan"), ["1"]),
        (keys.rating > 1 && .all && (keys.id == "2" || keys.id == "3"), ["2", "3"]),
        (ModelPredicate(.related("title", .field("size", .less(.int(6))))), ["3", "4"]),
        (ModelPredicate(.related("title", .field("size", .between(.int(8), .int(9))))), ["1", "2"]),
        (!ModelPredicate(.related("title", .field("size", .equal(.int(9))))), ["2", "3", "4"]),
    ]

    @Test("predicates choose the same records on the server as they do in a store")
    func predicates() async throws {
        let posts = [
            Post(
                id: "1", title: "San José", rating: 1, status: .active, link: "https://l", keywords: ["k1"],
                authorPostsId: "a"),
            Post(id: "2", title: "San Juan", rating: 3, status: .inReview, keywords: ["k1", "k2"], authorPostsId: "a"),
            Post(id: "3", title: "Oslo", rating: 4, status: .active, keywords: [], authorPostsId: "a"),
            Post(id: "4", title: "Accra", rating: 5, status: .archived, keywords: ["k3"], authorPostsId: "a"),
        ]
        try await Self.blog { client in
            for post in posts { _ = try await client.mutate(.create(post)) }
            let store = try await DataStore.inMemory(schema: .blog)
            for post in posts { try await store.save(post, requireParents: false) }
            for (predicate, ids) in Self.predicates {
                let page = try await client.query(.list(Post.where(predicate)))
                #expect(page.records.compactMap(\.value?.id).sorted() == ids, "\(predicate)")
                let local = try await store.query(Post.self, where: predicate)
                #expect(local.map(\.id).sorted() == ids, "\(predicate)")
            }
            try await store.close()
        }
    }

    @Test("a predicate that the API cannot express is refused with its reason, before anything is sent")
    func unsupported() async throws {
        let transport = StubTransport { (_) throws(TransportError) in
            Issue.record("Something was sent.")
            throw TransportError(.unreachable, "")
        }
        let client = try GraphQLClient(
            endpoint: try #require(URL(string: "http://127.0.0.1:1/")), authorization: .apiKey("k"), schema: .blog,
            transport: transport)
        let keys = Post.keys
        let lists: [ModelPredicate<Post>] = [
            keys.title.endsWith("x"), ModelPredicate(.field("title", .ignoringCase(.equal, "x"))),
            ModelPredicate(.field("status", .less(.string("x")))), ModelPredicate(.field("nowhere", .equal(nil))),
            ModelPredicate(.field("place", .equal(nil))), ModelPredicate(.related("blog", .all)), .or([]),
            ModelPredicate(.field("status", .equal(nil))),
            ModelPredicate(.related("keywords", .field("size", .equal(.int(1))))),
            ModelPredicate(.related("title", .field("size", .equal(nil)))),
        ]
        for predicate in lists {
            let error = await clientFailure { () throws(GraphQLClientError) in
                _ = try await client.query(.list(Post.where(predicate)))
            }
            #expect(error?.code == .unsupportedPredicate, "\(predicate)")
            #expect(error?.message.contains("Post") == true)
        }
        let condition = await clientFailure { () throws(GraphQLClientError) in
            _ = try await client.mutate(.update(Self.post, where: keys.id == "1"))
        }
        #expect(condition?.code == .unsupportedPredicate)
        let pushes: [ModelPredicate<Post>] = [
            !(keys.rating > 3), keys.rating == nil, ModelPredicate(.related("title", .field("size", .equal(.int(1))))),
        ]
        for predicate in pushes {
            let error = await clientFailure { () throws(GraphQLClientError) in
                _ = try await client.subscribe(.onCreate(Post.self, where: predicate))
            }
            #expect(error?.code == .unsupportedPredicate, "\(predicate)")
        }
    }

    @Test("failed conditions, conflicts, invalid values and wrong credentials have error codes of their own")
    func errors() async throws {
        try await RunningServer.serve(try Self.sdl("blog"), Authenticator(apiKey: "da2-key")) { port in
            let client = try Self.client(port)
            let blog = Blog(id: "b", name: "one")
            _ = try await client.mutate(.create(blog))
            var renamed = blog
            renamed.name = "two"
            let change = renamed
            let again = await clientFailure { () throws(GraphQLClientError) in
                _ = try await client.mutate(.create(blog))
            }
            #expect(again?.code == .conditionFailed)
            let missing = await clientFailure { () throws(GraphQLClientError) in
                _ = try await client.mutate(.update(Blog(id: "c", name: "x"), version: 1))
            }
            #expect(missing?.code == .conditionFailed)
            let condition = await clientFailure { () throws(GraphQLClientError) in
                _ = try await client.mutate(.update(change, version: 1, where: Blog.keys.name == "three"))
            }
            #expect(condition?.code == .conditionFailed)
            // These errors have the server's record, if there is one.
            for failure in [again, condition] {
                let data = String(decoding: failure?.errors.first?.data ?? [], as: UTF8.self)
                #expect(data.contains(#""name":"one""#) && data.contains(#""_version":1"#), "\(data)")
            }
            #expect(missing?.errors.map(\.data) == [nil])
            #expect(
                try await client.mutate(.update(change, version: 1, where: Blog.keys.name == "one")).version == 2)

            // The server's message can contain a value of the record, so the description leaves it out.
            let invalid = await clientFailure { () throws(GraphQLClientError) in
                _ = try await client.mutate(
                    .create(Post(id: "p", title: "t", link: "secret", keywords: [], authorPostsId: "a")))
            }
            #expect(invalid?.code == .badRequest)
            #expect(invalid?.message.contains("secret") == true)
            #expect(invalid?.description.contains("secret") == false)

            let conflict = await clientFailure { () throws(GraphQLClientError) in
                _ = try await client.mutate(.delete(Blog.self, id: "b", version: 1))
            }
            #expect(conflict?.code == .conflict)
            #expect(conflict?.errors.first?.errorType == "ConflictUnhandled")
            let data = String(decoding: conflict?.errors.first?.data ?? [], as: UTF8.self)
            #expect(data.contains(#""_version":2"#))
            #expect(data.contains(#""name":"two""#))

            let stranger = try Self.client(port, .blog, .apiKey("no"))
            let refused = await clientFailure { () throws(GraphQLClientError) in
                _ = try await stranger.query(.get(Blog.self, id: "b"))
            }
            #expect(refused?.code == .unauthorized)
            #expect(refused?.status == 401)
        }
    }

    @Test("the transport may repeat the queries of a client, but not its mutations")
    func repeatable() async throws {
        let seen = Shared<[TransportRequest]>([])
        let transport = StubTransport { (request) throws(TransportError) in
            seen.update { $0.append(request) }
            throw TransportError(.closed, "The connection ended.")
        }
        let url = try #require(URL(string: "http://127.0.0.1:1/graphql"))
        let client = try GraphQLClient(
            endpoint: url, authorization: .apiKey("da2-key"), schema: .blog, transport: transport)
        _ = await clientFailure { () throws(GraphQLClientError) in
            _ = try await client.query(.get(Post.self, id: "1"))
        }
        _ = await clientFailure { () throws(GraphQLClientError) in try await client.mutate(.create(Self.post)) }
        #expect(seen.value.map(\.isRepeatable) == [true, false])
    }

    @Test("a model that the server or the client's schema does not have is refused with an error")
    func otherSchemas() async throws {
        try await RunningServer.serve(try Self.sdl("blog"), Authenticator(apiKey: "da2-key")) { port in
            let client = try Self.client(port, .chat)
            let unknown = await clientFailure { () throws(GraphQLClientError) in
                _ = try await client.query(.get(ClientModels.Thread.self, id: "t"))
            }
            #expect(unknown?.code == .badRequest)
            #expect(unknown?.message.contains("getThread") == true)
            let undeclared = await clientFailure { () throws(GraphQLClientError) in
                _ = try await client.query(.get(Post.self, id: "t"))
            }
            #expect(undeclared?.code == .invalidValue)
        }
    }

    @Test(
        "an owner's token may update a record, another user's token may only read it, and an API key is refused",
        .enabled(if: CommandLineTools.hasOpenSSL, "openssl is missing"))
    func owners() async throws {
        let signer = try TokenSigner(.ec, id: "own")
        let keys = try JSONWebKeySet(parsing: Array(#"{"keys":[\#(try signer.jsonWebKey())]}"#.utf8))
        let authenticator = Authenticator(
            apiKey: "da2-key",
            userPools: [TokenVerifier(keys: keys, issuer: "https://pool", audiences: ["app"])])
        try await RunningServer.serve(try Self.sdl("chat"), authenticator) { port in
            let now = Int(Date().timeIntervalSince1970)
            let token = { (subject: String) in
                try signer.token(
                    #"{"iss":"https://pool","aud":"app","sub":"\#(subject)","username":"\#(subject)","#
                        + #""exp":\#(now + 600),"iat":\#(now)}"#)
            }
            let anna = try token("anna")
            let owner = try Self.client(port, .chat, .token { anna })
            let ben = try token("ben")
            let stranger = try Self.client(port, .chat, .token { "Bearer \(ben)" })
            let user = User(
                id: "u", sub: "anna", username: "Anna", createdAt: try Temporal.DateTime("2026-01-02T03:04:05Z"))
            #expect(try await owner.mutate(.create(user)).version == 1)
            #expect(try await stranger.query(.get(User.self, id: "u"))?.value?.username == "Anna")
            var renamed = user
            renamed.username = "Ben"
            let change = renamed
            let refused = await clientFailure { () throws(GraphQLClientError) in
                _ = try await stranger.mutate(.update(change, version: 1))
            }
            #expect(refused?.code == .unauthorized)
            let withKey = try Self.client(port, .chat)
            let byKey = await clientFailure { () throws(GraphQLClientError) in
                _ = try await withKey.query(.get(User.self, id: "u"))
            }
            #expect(byKey?.code == .unauthorized)
            struct NoSession: Error {}
            let signedOut = try Self.client(port, .chat, .token { throw NoSession() })
            let noToken = await clientFailure { () throws(GraphQLClientError) in
                _ = try await signedOut.query(.get(User.self, id: "u"))
            }
            #expect(noToken?.code == .noToken)
            #expect(noToken?.underlying is NoSession)
        }
    }
}

import ClientModels
import Foundation
import ServerSupport
import Testing
import Tidelog
import TidelogServer

@testable import TidelogSync

@Suite("A client of GraphQL and an API without versions", .timeLimit(.minutes(5)))
struct ClientWithoutVersionsTests {
    private static func serve(_ body: (GraphQLClient) async throws -> Void) async throws {
        let sdl = try GraphQLClientTests.sdl("blog")
        try await RunningServer.serve(sdl, Authenticator(apiKey: "da2-key"), kind: .timestamps) { port in
            try await body(try GraphQLClientTests.client(port))
        }
    }

    @Test("a record is created, read, changed, listed and deleted, and the client finds out about the API itself")
    func life() async throws {
        try await Self.serve { client in
            let created = try await client.mutate(.create(Author(id: "a1", name: "Ada")))
            #expect(created.value?.name == "Ada" && created.version == nil)
            #expect(try await client.query(.get(Author.self, id: "a1")) == created)
            var author = try #require(created.value)
            author.name = "Ada L."
            #expect(try await client.mutate(.update(author)).value?.name == "Ada L.")
            #expect(try await client.query(.list(Author.where(.all))).records.map { $0.value?.name } == ["Ada L."])
            guard case .deleted("a1", nil, let last) = try await client.mutate(.delete(Author.self, id: "a1")) else {
                Issue.record("The answer is no deletion.")
                return
            }
            #expect(last?.name == "Ada L.")
            #expect(try await client.query(.get(Author.self, id: "a1")) == nil)
            #expect(try await client.mutate(.delete(Author.self, id: "a1")).value == nil)
        }
    }

    @Test("a change that names a version is refused with advice")
    func version() async throws {
        try await Self.serve { client in
            let created = try await client.mutate(.create(Author(id: "a1", name: "Ada")))
            let author = try #require(created.value)
            let failure = await clientFailure { () async throws(GraphQLClientError) in
                try await client.mutate(.update(author, version: 1))
            }
            #expect(failure?.code == .invalidValue)
        }
    }

    @Test("subscribers hear of a deletion as such")
    func deletion() async throws {
        try await Self.serve { client in
            let events = try await client.subscribe(.onDelete(Author.self))
            try await client.mutate(.create(Author(id: "a1", name: "Ada")))
            try await client.mutate(.delete(Author.self, id: "a1"))
            var iterator = events.makeAsyncIterator()
            guard case .deleted("a1", nil, let last) = try await iterator.next() else {
                Issue.record("The message is no deletion.")
                return
            }
            #expect(last?.name == "Ada")
        }
    }
}

import TestStores
import Testing
import Tidelog
import TidelogGraphQLExecution
import TidelogSDL

@testable import TidelogServer

@Suite("Page tokens")
struct PageTokenTests {
    @Test("a token is read back from its bytes")
    func roundTrip() throws {
        let place = PagePlace(bytes: [1, 2, 3])
        let sort = Sort([Sort.Key("rank", isDescending: true)])
        for startedAt in [nil, Int64.min, -1, 0, 1_700_000_000_000, .max] {
            for isDelta in [false, true] {
                let token = PageToken(place: place, in: sort, startedAt: startedAt, isDelta: isDelta)
                #expect(PageToken(token.bytes) == token)
                #expect(PageToken(Array(token.bytes.prefix(9))) == nil)
            }
        }
        #expect(PageToken.order(sort) != PageToken.order(Sort([Sort.Key("rank")])))
        #expect(PageToken.order(sort) != PageToken.order(.byKey))
    }

    @Test("tokens in the JSON format of earlier servers, and malformed tokens, are not read")
    func earlier() {
        for text in [
            #"[null,false,[["s","p1"]],[]]"#, #"[1700000000000,true,[["s","p1"]],[["i",7],null]]"#, "[]", "", "[",
        ] { #expect(PageToken(Array(text.utf8)) == nil, "\(text)") }
        for bytes: [UInt8] in [
            [1], [1, 0], [1, 4] + [UInt8](repeating: 0, count: 20), [2, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        ] {
            #expect(PageToken(bytes) == nil)
        }
    }

    private static func sdl(_ sortField: String) -> String {
        """
        type Post @model {
          id: ID!
          title: String
          status: String
          rank: Int @index(name: "byRank", sortKeyFields: ["\(sortField)"])
        }
        """
    }

    @Test("a token is refused if the server lists the records in another order by now")
    func otherOrder() async throws {
        let served = try await ServedSchema(Self.sdl("title"))
        for number in 1...9 {
            _ = try await served.data(
                """
                mutation { createPost(input: {id: "\(number)", title: "t\(number)", status: "s\(9 - number)", rank: 1}) {
                  id } }
                """)
        }
        let list = { (token: String?) in
            "{ listPosts(filter: {rank: {eq: 1}}, limit: 5\(token.map { ", nextToken: \"\($0)\"" } ?? "")) "
                + "{ items { id } nextToken } }"
        }
        let token = try #require(try await served.data(list(nil))["listPosts"]?["nextToken"]?.text)
        #expect(try await served.data(list(token))["listPosts"]?["items"]?.elements.count == 4)
        let changed = try await Service(
            try API(SchemaDocument(sdl: Array(Self.sdl("status").utf8))), served.versions,
            environment: Service.Environment(clock: served.clock.read) { [UInt8](repeating: 0, count: $0) })
        let response = try await changed.respond(to: ServiceRequest(list(token)), from: .apiKey)
        #expect(response.errors.map(\.errorType) == ["BadRequest"])
        #expect(response.errors.first?.message.hasPrefix("Invalid pagination token given") ?? false)
    }
}

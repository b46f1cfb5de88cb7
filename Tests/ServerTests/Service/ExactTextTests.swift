import Testing
import Tidelog
import TidelogGraphQLExecution
import TidelogSynchronization

@testable import TidelogServer

@Suite("Texts that are equal in Swift but differ in their bytes")
struct ExactTextTests {
    /// Both texts end in é: the first has one code point for it, and the second has two.
    private static let composed = "caf\u{E9}"
    private static let decomposed = "cafe\u{301}"
    /// The first text begins with the letter K, and the second with the Kelvin sign.
    private static let letter = "KEY-1"
    private static let kelvin = "\u{212A}EY-1"

    private static let sdl = """
        enum Kind { KEPT OTHER }
        type Post @model { id: ID! title: String! kind: Kind }
        """

    private static func bytes(_ value: ResponseValue?) -> [UInt8]? { value?.text.map { Array($0.utf8) } }

    @Test("two documents that are equal except for their bytes each store their own text")
    func documents() async throws {
        let served = try await ServedSchema(Self.sdl)
        for (id, title) in [("a", Self.composed), ("b", Self.decomposed), ("c", Self.composed)] {
            let document = "mutation M($id: ID!) { createPost(input: {id: $id, title: \"\(title)\"}) { title } }"
            let post = try await served.data(document, ["id": .string(id)])["createPost"]
            #expect(Self.bytes(post?["title"]) == Array(title.utf8))
            let stored = try await served.store.record("Post", id: RecordID(id))
            guard case .string(let text)? = stored?["title"] else {
                Issue.record("\(id) has no title")
                continue
            }
            #expect(Array(text.utf8) == Array(title.utf8))
        }
    }

    @Test("two queries whose ids are equal except for their bytes each return their own record")
    func callers() async throws {
        let served = try await ServedSchema(Self.sdl)
        for id in [Self.letter, Self.kelvin] {
            _ = try await served.data(
                "mutation M($id: ID!) { createPost(input: {id: $id, title: \"t\"}) { id } }", ["id": .string(id)])
        }
        for id in [Self.kelvin, Self.letter, Self.kelvin] {
            let post = try await served.data("{ getPost(id: \"\(id)\") { id } }")["getPost"]
            #expect(Self.bytes(post?["id"]) == Array(id.utf8))
        }
    }

    @Test("fields whose arguments differ only in their bytes conflict and are not merged")
    func overlapping() async throws {
        let served = try await ServedSchema(Self.sdl)
        let response = try await served.ask(
            "{ getPost(id: \"\(Self.letter)\") { id } getPost(id: \"\(Self.kelvin)\") { id } }")
        #expect(response.contains("errors") && response.contains("differing arguments"), "\(response)")
    }

    @Test("an enum case or an operation name matches only if its bytes are equal")
    func names() async throws {
        let served = try await ServedSchema(Self.sdl)
        let document = "mutation K($input: CreatePostInput!) { createPost(input: $input) { kind } }"
        let unknown = try await served.ask(
            document, ["input": ["id": .string("a"), "title": .string("t"), "kind": .string("\u{212A}EPT")]])
        #expect(unknown.contains("errors") && unknown.contains("Kind"), "\(unknown)")
        let known = try await served.ask(
            document, ["input": ["id": .string("a"), "title": .string("t"), "kind": .string("KEPT")]])
        #expect(known.contains(#""kind":"KEPT""#), "\(known)")
        let request = ServiceRequest("query K { listPosts { items { id } } }", operationName: "\u{212A}")
        let response = try await served.service.respond(to: request, from: .apiKey)
        #expect(response.errors.count == 1)
    }

    @Test("subscriptions whose variables differ only in their bytes have different selections")
    func subscribers() async throws {
        let served = try await ServedSchema(Self.sdl)
        let subscriptions = Subscriptions(served.service)
        let prepare = { (title: String) throws -> PreparedSubscription in
            let document = "subscription S($title: String) { onCreatePost(filter: {title: {eq: $title}}) { title } }"
            return try subscriptions.prepare(
                ServiceRequest(document, variables: ["title": .string(title)]), from: .apiKey)
        }
        let selections = try [Self.composed, Self.decomposed, Self.composed].map { try prepare($0).selection }
        #expect(Set(selections).count == 2)
        #expect(ExactText(Self.composed) != ExactText(Self.decomposed))
        #expect(InputValue.string(Self.letter) != .string(Self.kelvin))
    }
}

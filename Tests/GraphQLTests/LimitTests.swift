import Foundation
import Testing
import TidelogGraphQL
import TidelogGraphQLExecution

@Suite("Limits")
struct LimitTests {
    private func nested(_ open: String, _ close: String, _ count: Int) -> String {
        String(repeating: open, count: count) + "x" + String(repeating: close, count: count)
    }

    private func documents(nested depth: Int) -> [String] {
        [
            nested("{a", "}", depth),
            nested("{...", "}", depth),
            "scalar S @d(a: \(nested("[", "]", depth)))",
            "scalar S @d(a: \(nested("{a:", "}", depth)))",
            "type T { a: \(nested("[", "]", depth)) }",
        ]
    }

    /// Runs `body` on a new thread whose stack has `stack` bytes.
    private func onThread<Result: Sendable>(stack: Int, _ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: body()) }
            thread.stackSize = stack
            thread.start()
        }
    }

    @Test("A document of exactly the byte limit parses, one byte more does not")
    func documentBytes() {
        let source = "{ a }"
        for (limit, isAllowed) in [(4, false), (5, true), (6, true)] {
            let limits = GraphQLLimits(documentBytes: limit)
            #expect((complaint(source, limits: limits) == nil) == isAllowed)
            #expect((complaint(Array(source.utf8), limits: limits) == nil) == isAllowed)
        }
        #expect(complaint(source, limits: GraphQLLimits(documentBytes: 4)) == "1:1: the document has more than 4 bytes")
    }

    @Test("A document of exactly the token limit parses, one token more does not; comments and commas do not count")
    func tokens() {
        let source = "{ a, b,, #c\n c }"
        for (limit, isAllowed) in [(4, false), (5, true), (6, true)] {
            #expect((complaint(source, limits: GraphQLLimits(tokens: limit)) == nil) == isAllowed)
        }
        #expect(complaint(source, limits: GraphQLLimits(tokens: 4)) == "2:4: the document has more than 4 tokens")
    }

    @Test(
        "Selection sets, lists, objects and list types nest exactly as deep as the limit",
        arguments: [1, 2, 7, 64, 200])
    func depth(limit: Int) async {
        let limits = GraphQLLimits(depth: limit)
        for (depth, isAllowed) in [(limit - 1, true), (limit, true), (limit + 1, false)] where depth > 0 {
            for source in documents(nested: depth) {
                let answer = await onThread(stack: 8 << 20) { complaint(source, limits: limits) }
                #expect((answer == nil) == isAllowed)
                #expect(isAllowed || answer?.hasSuffix(": nested deeper than \(limit) levels") == true)
            }
        }
        let selections = nested("{a", "}", limit + 1)
        let answer = await onThread(stack: 8 << 20) { complaint(selections, limits: limits) }
        #expect(answer == "1:\(2 * limit + 1): nested deeper than \(limit) levels")
    }

    @Test("A document as deep as the standard limit is parsed, printed and compared on a stack of 512 KiB")
    func smallStack() async {
        for source in documents(nested: GraphQLLimits.standard.depth) {
            let isEqual = await onThread(stack: 512 << 10) {
                guard let document = try? Document(parsing: source), let again = try? Document(parsing: source)
                else { return false }
                return document == again && document.printed() == again.printed()
            }
            #expect(isEqual)
        }
    }

    @Test("The depth of a document counts brackets that are open at the same time, not closed ones")
    func siblings() {
        let limits = GraphQLLimits(depth: 2)
        #expect(complaint("{ a { b } c { d } e(f: [1]) g(h: {i: 1}) }", limits: limits) == nil)
        #expect(complaint("{ a(b: [[1]]) }", limits: limits) == "1:9: nested deeper than 2 levels")
    }

    @Test(
        "A million opening brackets are refused without a stack overflow",
        arguments: ["{a", "[", "{a:", "(", "{...", "[["])
    func millionBrackets(open: String) async {
        let brackets = String(repeating: open, count: 1_000_000)
        let limits = GraphQLLimits(documentBytes: .max, tokens: .max, depth: GraphQLLimits.greatestDepth)
        for source in [brackets, "{ a(b: \(brackets)", "type T { a: \(brackets)"] {
            #expect(await onThread(stack: 8 << 20) { complaint(source, limits: limits) } != nil)
        }
    }

    @Test("The limits for requests are narrower than the standard ones")
    func presets() {
        #expect(GraphQLLimits.request.documentBytes < GraphQLLimits.standard.documentBytes)
        #expect(GraphQLLimits.request.tokens < GraphQLLimits.standard.tokens)
        #expect(GraphQLLimits.request.depth < GraphQLLimits.standard.depth)
    }
}

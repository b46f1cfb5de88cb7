import Testing
import TidelogGraphQL

@Suite("Mutated documents")
struct FuzzTests {
    @Test(
        "A mutated document either parses and prints to an equal document, or is refused at a place inside it",
        arguments: [1, 2, 3, 4] as [UInt64])
    func mutants(seed: UInt64) throws {
        var mutator = Mutator(seed: seed)
        let count = Mutator.count(standard: 20_000) / 4
        var parsed = 0
        for _ in 0..<count {
            let bytes = mutator.next()
            let (document, error) = parse(bytes)
            if let document {
                parsed += 1
                #expect(try survivesPrinting(document), "\(bytes)")
            }
            if let error {
                #expect(error.span.start <= error.span.end && error.span.end <= bytes.count, "\(bytes)")
                #expect(error.location == SourceLocation(offset: error.span.start, in: bytes), "\(bytes)")
            }
        }
        #expect(parsed > count / 10 && parsed < count * 9 / 10, "\(parsed) of \(count) mutants are valid")
    }

    @Test("Every prefix and every suffix of a document parses or is refused, and never traps")
    func prefixes() throws {
        let text =
            #"type T @d(a: [1.5e3, {b: "\uD83D\uDE00é"}]) implements"#
            + "\"\"\"\n  x\\\"\"\"\n\"\"\" type U { a(b: Int! = -1): [T] } { a ...on T { b } } extend union V = | A"
        let source = Array(text.utf8)
        for end in 0...source.count {
            _ = complaint(Array(source[..<end]))
            _ = complaint(Array(source[end...]))
        }
        #expect(complaint([]) != nil)
    }
}

import Testing
import TidelogGraphQL

@Suite("Mutated documents")
struct FuzzTests {
    private static let seeds = GrammarTable.valid
    private static let pieces =
        [
            "{", "}", "(", ")", "[", "]", "\"", "\"\"\"", "\\", "\\u", "\\uD83D", "...", "|", "&", "!", "=", ":", "@",
            "$", "#",
        ]
        + ["\n", "\r", "-", "0", "1.5", "e", "on", "type", "extend", "null", "é", "😀", "\u{FEFF}", ","]

    /// A document with a few bytes dropped, flipped or doubled, pieces put in, or another's tail behind its head.
    private func mutant(_ random: inout SplitMix) -> [UInt8] {
        var bytes = Array(Self.seeds[random.below(Self.seeds.count)].utf8)
        for _ in 0...random.below(2) {
            let place = random.below(bytes.count + 1)
            let end = min(bytes.count, place + 1 + random.below(4))
            switch random.below(5) {
            case 0: bytes.removeSubrange(place..<end)
            case 1 where place < bytes.count: bytes[place] ^= UInt8(1 << random.below(8))
            case 2: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 3:
                let other = Array(Self.seeds[random.below(Self.seeds.count)].utf8)
                bytes.replaceSubrange(place..., with: other[random.below(other.count + 1)...])
            default: bytes.insert(contentsOf: Self.pieces[random.below(Self.pieces.count)].utf8, at: place)
            }
        }
        return bytes
    }

    @Test("Every mutant either parses and survives printing, or is refused at a place inside it", arguments: [1, 2, 3])
    func mutants(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        var parsed = 0
        var refused = 0
        for _ in 0..<4000 {
            let bytes = mutant(&random)
            let document: Document
            do {
                document = try Document(parsing: bytes)
            } catch {
                refused += 1
                #expect(error.span.end <= bytes.count)
                #expect(error.location == SourceLocation(offset: error.span.start, in: bytes))
                continue
            }
            parsed += 1
            #expect(try survivesPrinting(document), "\(String(decoding: bytes, as: UTF8.self))")
        }
        #expect(parsed > 400 && refused > 400)
    }

    @Test("Every prefix of a document parses or is refused, and never traps")
    func prefixes() throws {
        let text =
            #"type T @d(a: [1.5e3, {b: "\uD83D\uDE00é"}]) implements"#
            + "\"\"\"\n  x\\\"\"\"\n\"\"\" type U { a(b: Int! = -1): [T] } { a ...on T { b } } extend union V = | A"
        let source = Array(text.utf8)
        for end in 0...source.count { _ = complaint(Array(source[..<end])) }
        #expect(complaint([]) != nil)
    }
}

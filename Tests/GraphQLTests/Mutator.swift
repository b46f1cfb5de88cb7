import Foundation
import SeededNumbers

@testable import TidelogGraphQL

/// Makes documents that are nearly valid, by changing bytes or tokens of valid documents. The same seed gives the same
/// documents.
struct Mutator {
    /// The valid vectors and the schemas of the repository.
    static let seeds: [[UInt8]] = {
        let vectors = (try? Vector.all()) ?? []
        return vectors.filter { $0.verdict == .accepted }.map(\.document) + Checkout.graphQLFiles().map(\.bytes)
    }()

    private static let tokens: [[[UInt8]]] = seeds.map(tokens(of:))

    private static let pieces: [[UInt8]] =
        [
            "{", "}", "(", ")", "[", "]", "\"", "\"\"\"", "\\", "\\\"\"\"", "\\u", "\\uD83D", "\\uDE00", "\\u{", "...",
            "|", "&", "!", "=", ":", "@", "$", "#", "\n", "\r", "\t", " ", "-", "0", "1.5", "e", "_", "on", "type",
            "extend", "null", "implements", "repeatable", "é", "😀", "\u{FEFF}", ",", "\u{0}", "\u{FFFF}", "\"d\"",
        ].map { Array($0.utf8) } + [[0x80], [0xC0], [0xED, 0xA0, 0x80], [0xFF]]

    private static let separators = [" ", " ", " ", "\n", ",", "\t", "\r\n", " # c\n", "\u{FEFF}"].map {
        Array($0.utf8)
    }

    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed) }

    /// The next document. About one in three is valid.
    mutating func next() -> [UInt8] {
        random.below(2) == 0 ? withOtherBytes() : withOtherTokens()
    }

    /// A document with a few changes: bytes are dropped, flipped or repeated, a piece or another document is inserted, or the
    /// end of another document replaces its own.
    private mutating func withOtherBytes() -> [UInt8] {
        var bytes = pick(Self.seeds)
        for _ in 0...random.below(2) {
            let place = random.below(bytes.count + 1)
            let end = min(bytes.count, place + 1 + random.below(4))
            switch random.below(6) {
            case 0: bytes.removeSubrange(place..<end)
            case 1 where place < bytes.count: bytes[place] ^= UInt8(1 << random.below(8))
            case 2: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 3:
                let other = pick(Self.seeds)
                bytes.replaceSubrange(place..., with: other[random.below(other.count + 1)...])
            case 4: bytes.insert(contentsOf: pick(Self.seeds), at: place)
            default: bytes.insert(contentsOf: pick(Self.pieces), at: place)
            }
        }
        return bytes
    }

    /// The tokens of one to three documents, with new separators. Up to two times, tokens are dropped, repeated, swapped,
    /// replaced or inserted.
    private mutating func withOtherTokens() -> [UInt8] {
        var tokens = (0...random.below(3)).flatMap { _ in pick(Self.tokens) }
        for _ in 0..<random.below(3) where !tokens.isEmpty {
            let place = random.below(tokens.count)
            switch random.below(6) {
            case 0: tokens.remove(at: place)
            case 5: tokens.removeSubrange(place..<min(tokens.count, place + 2 + random.below(6)))
            case 1: tokens.insert(tokens[place], at: place)
            case 2: tokens.swapAt(place, random.below(tokens.count))
            case 3: tokens[place] = pick(pick(Self.tokens))
            default: tokens.insert(pick(pick(Self.tokens)), at: place)
            }
        }
        return tokens.reduce(into: []) { $0 += $1 + pick(Self.separators) }
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element { elements[random.below(elements.count)] }

    static func tokens(of document: [UInt8]) -> [[UInt8]] {
        var lexer = Lexer(document, tokenLimit: .max)
        var tokens: [[UInt8]] = []
        while let token = try? lexer.next(), token.kind != .endOfDocument {
            tokens.append(Array(document[token.start..<token.end]))
        }
        return tokens
    }
}

extension Mutator {
    /// How many documents to make: `TIDELOG_FUZZ_DOCUMENTS`, or else `standard`.
    static func count(standard: Int) -> Int {
        ProcessInfo.processInfo.environment["TIDELOG_FUZZ_DOCUMENTS"].flatMap { Int($0) } ?? standard
    }
}

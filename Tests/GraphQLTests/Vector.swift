import Foundation

/// One document of `Tests/Fixtures/graphql`, and what the grammar says of it; the README there explains the notation.
struct Vector: Sendable, CustomStringConvertible {
    /// Whether a parser takes it and, if not, the `line:column` where it stops; nil if none is stated.
    enum Verdict: Sendable, Equatable {
        case accepted
        case refused(at: String?)
    }

    let file: String
    let line: Int
    /// As the file writes it.
    let notation: String
    let document: [UInt8]
    /// What our parser has to say.
    let verdict: Verdict
    /// What the second opinion has to say.
    let secondVerdict: Verdict
    /// Documents that mean the same.
    private(set) var equals: [[UInt8]] = []

    var description: String { "\(file):\(line) \(notation)" }
}

extension Vector {
    /// A line that is no vector.
    struct Malformed: Error, CustomStringConvertible {
        let description: String
    }

    /// Every vector of every file, in order.
    static func all() throws -> [Vector] {
        let files = try FileManager.default.contentsOfDirectory(atPath: Checkout.vectors.path)
        return try files.filter { $0.hasSuffix(".vectors") }.sorted().flatMap { file in
            let text = try String(contentsOf: Checkout.vectors.appending(path: file), encoding: .utf8)
            return try read(text, from: file)
        }
    }

    /// The vectors of one file.
    static func read(_ text: String, from file: String) throws -> [Vector] {
        var vectors: [Vector] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard let sign = line.first, sign != "#" else { continue }
            let malformed = Malformed(description: "\(file):\(index + 1) is no vector: \(line)")
            let words = line.split(separator: " ", maxSplits: sign == "-" ? 2 : 1, omittingEmptySubsequences: false)
            guard words.count == (sign == "-" ? 3 : 2), let document = bytes(of: words[words.count - 1]) else {
                throw malformed
            }
            if line.hasPrefix("= ") {
                guard let last = vectors.indices.last, vectors[last].verdict == .accepted else { throw malformed }
                vectors[last].equals.append(document)
                continue
            }
            guard let verdicts = verdicts(words[0], sign == "-" ? words[1] : "") else { throw malformed }
            vectors.append(
                Vector(
                    file: file, line: index + 1, notation: String(words[words.count - 1]), document: document,
                    verdict: verdicts.ours, secondVerdict: verdicts.second))
        }
        return vectors
    }

    /// `+`, `+|refused`, `- L:C`, `- L:C|L:C` or `- L:C|accepted`.
    private static func verdicts(_ sign: Substring, _ places: Substring) -> (ours: Verdict, second: Verdict)? {
        if sign == "+" { return (.accepted, .accepted) }
        if sign == "+|refused" { return (.accepted, .refused(at: nil)) }
        let parts = places.split(separator: "|", omittingEmptySubsequences: false)
        guard sign == "-", (1...2).contains(parts.count), let ours = parts.first, let second = parts.last,
            ours.contains(/^\d+:\d+$/)
        else { return nil }
        if second == "accepted" { return (.refused(at: String(ours)), .accepted) }
        return second.contains(/^\d+:\d+$/) ? (.refused(at: String(ours)), .refused(at: String(second))) : nil
    }

    /// Turns the pictures of white space into what they show, and `⟨C3 A9⟩` into these bytes.
    private static func bytes(of notation: Substring) -> [UInt8]? {
        let pictures: [Character: UInt8] = ["␠": 0x20, "␉": 0x09, "␊": 0x0A, "␍": 0x0D]
        var bytes: [UInt8] = []
        var rest = notation
        while let character = rest.popFirst() {
            if let byte = pictures[character] {
                bytes.append(byte)
            } else if character == "⟨" {
                guard let end = rest.firstIndex(of: "⟩") else { return nil }
                for digits in rest[..<end].split(separator: " ") {
                    guard digits.utf8.count == 2, let byte = UInt8(digits, radix: 16) else { return nil }
                    bytes.append(byte)
                }
                rest = rest[rest.index(after: end)...]
            } else {
                bytes.append(contentsOf: String(character).utf8)
            }
        }
        return bytes
    }
}

import Foundation

/// A document of `Tests/Fixtures/graphql`, and whether the grammar allows it. The README there explains the notation.
struct Vector: Sendable, CustomStringConvertible {
    /// Whether a parser accepts the document. If it refuses it, the `line:column` where it stops; `nil` if the file states
    /// none.
    enum Verdict: Sendable, Equatable {
        case accepted
        case refused(at: String?)
    }

    let file: String
    let line: Int
    /// The document as the file writes it.
    let notation: String
    let document: [UInt8]
    /// The verdict that our parser must give.
    let verdict: Verdict
    /// The verdict that the second opinion must give.
    let secondVerdict: Verdict
    /// Documents with the same meaning.
    private(set) var equals: [[UInt8]] = []

    var description: String { "\(file):\(line) \(notation)" }
}

extension Vector {
    /// A line of a file is not a vector.
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

    /// Reads the verdicts, which are `+`, `+|refused`, `- L:C`, `- L:C|L:C` or `- L:C|accepted`.
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

    /// Converts the symbols for white space to white space, and `⟨C3 A9⟩` to these two bytes.
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

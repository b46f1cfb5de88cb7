/// An error for a text that is not a predicate. It has the place of the error and the expected syntax.
public struct PredicateSyntaxError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The line number, counted from 1.
    public let line: Int
    /// The place in the line, counted from 1 in Unicode scalars.
    public let column: Int
    /// A description of the syntax that was expected there.
    public let expected: String
    /// The right form of a common mistake, as a sentence: `Write == for "equal".` It is `nil` if the mistake is not known.
    public internal(set) var advice: String?
    /// The whole text in the right form, if all mistakes in it are known ones. It contains the values of the text.
    public internal(set) var corrected: String?
    /// The place of the error, counted in bytes.
    let offset: Int
    /// The kind of syntax that was expected.
    let place: Place

    /// The kinds of syntax in a predicate.
    enum Place: Sendable, Hashable {
        case field, comparison, value, connector, method, list, other
    }

    /// The place and the expected syntax, without the text: `1:12: expected a value`.
    public var description: String { "\(line):\(column): expected \(expected)" }

    /// A common mistake in the text of a predicate, for example a word of SQL, and its correction.
    struct Correction {
        /// The right form, as a sentence.
        let advice: String
        /// The whole text with this mistake corrected, or `nil` if the meaning of the text is not clear.
        let text: String?

        /// - Returns: `nil` if the mistake at the place of `error` is not a common one.
        init?(of error: PredicateSyntaxError, in text: String) {
            let mistake = PredicateMistake(text, at: error.offset)
            let found: PredicateMistake.Finding? =
                switch error.place {
                case .field: mistake.field
                case .comparison: mistake.comparison
                case .value: mistake.value
                case .connector: mistake.connector
                case .method: mistake.method
                case .list: mistake.list
                case .other: nil
                }
            guard let found else { return nil }
            advice = found.advice
            self.text = found.change.map { mistake.replacing($0.range, with: $0.text) }
        }
    }
}

extension PredicateSyntaxError {
    /// An error at the byte `offset` of `bytes`.
    init(expected: String, _ place: Place, offset: Int, in bytes: [UInt8]) {
        let before = bytes[..<offset]
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        line = before.count { $0 == UInt8(ascii: "\n") } + 1
        column = before[lineStart...].count { $0 & 0xC0 != 0x80 } + 1
        self.expected = expected
        self.offset = offset
        self.place = place
    }

    /// The longest text for which advice is given.
    private static let longestText = 4_000
    /// The largest number of mistakes that are corrected in one text.
    private static let mistakeCount = 20

    /// The error with advice for common mistakes in `text`.
    func advised(on text: String) -> PredicateSyntaxError {
        guard text.utf8.count <= Self.longestText, let first = Correction(of: self, in: text) else { return self }
        var error = self
        error.advice = first.advice
        error.corrected = Self.corrected(first)
        return error
    }

    /// The text after `correction` and the corrections of all further mistakes; `nil` if one of them is not known.
    private static func corrected(_ correction: Correction) -> String? {
        var correction = correction
        for _ in 0..<mistakeCount {
            guard let text = correction.text else { return nil }
            do {
                var parser = PredicateParser(text)
                _ = try parser.predicate()
                return text
            } catch {
                guard let next = Correction(of: error, in: text) else { return nil }
                correction = next
            }
        }
        return nil
    }
}

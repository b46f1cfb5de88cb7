/// The reason why a text is no predicate of a model, with the place in the text.
package struct PredicateRefusal: Error, Sendable {
    /// The text that is no predicate.
    package let text: String
    /// The reason with its place, as a sentence: `Predicate 1:12: expected a value.`
    package let message: String
    /// The model that the predicate does not fit; `nil` if the text is no predicate at all.
    package let model: String?
    /// The advice for this mistake; `nil` if the mistake is not known.
    package let recovery: String?
    /// The whole text in its right form, if all mistakes in it are known.
    package let corrected: String?
    /// The line of the text with a mark below the place.
    package let excerpt: String

    init(
        of text: String, line: Int, column: Int, _ reason: String, model: String? = nil, recovery: String?,
        corrected: String? = nil
    ) {
        self.text = text
        let isSentence = reason.last == "." || reason.last == "?"
        message = "Predicate \(line):\(column): \(reason)\(isSentence ? "" : ".")"
        self.model = model
        self.recovery = recovery
        self.corrected = corrected
        excerpt = Array(text.utf8).excerpt(line: line, column: column)
    }
}

extension [UInt8] {
    /// The line of this text at an error, with a mark below the place of the error.
    package func excerpt(line: Int, column: Int) -> String {
        let lines = split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard line >= 1, line <= lines.count else { return "" }
        // Each character must take the number of columns that the position of the mark assumes.
        let written = String(
            String.UnicodeScalarView(
                String(decoding: lines[line - 1], as: UTF8.self).unicodeScalars.map { $0.value < 32 ? " " : $0 }))
        let before = String(String.UnicodeScalarView(written.unicodeScalars.prefix(Swift.max(0, column - 1))))
        return "  \(written)\n  \(String(repeating: " ", count: before.columnCount))^"
    }
}

extension BlockString {
    /// A layout of a text between triple quotes. `value(ofRaw:)` gets the same text back from the layout.
    enum Layout {
        /// The string is empty.
        case empty
        /// All lines are below the opening quotes, with the same indentation.
        case linesBelowQuotes
        /// The only line follows the opening quotes directly, because its indentation is a part of the text.
        case lineBesideQuotes
    }

    /// The layout for a text; `nil` if a block string cannot represent the text.
    static func layout(for text: [UInt8]) -> Layout? {
        guard !text.isEmpty else { return .empty }
        guard !text.contains(where: { $0 == Byte.carriageReturn || Byte.isForbiddenControl($0) }) else { return nil }
        let lines = lines(of: text[...])
        // Block strings drop blank first and last lines.
        guard let first = lines.first, let last = lines.last, !isBlank(first), !isBlank(last) else { return nil }
        // Block strings drop common indentation, so at least one line must have no indentation.
        if lines.contains(where: { !isBlank($0) && indent(of: $0) == 0 }) { return .linesBelowQuotes }
        // The first line keeps its indentation if it follows the quotes directly. All other lines would still lose theirs.
        return lines.count == 1 ? .lineBesideQuotes : nil
    }

    /// A line with `\"""` in place of `"""`.
    static func escaped(_ line: ArraySlice<UInt8>) -> String {
        guard line.contains(Byte.quote) else { return String(decoding: line, as: UTF8.self) }
        var written: [UInt8] = []
        var rest = line
        while let byte = rest.first {
            if rest.starts(with: tripleQuote) {
                written.append(Byte.backslash)
                written.append(contentsOf: tripleQuote)
                rest = rest.dropFirst(3)
            } else {
                written.append(byte)
                rest = rest.dropFirst()
            }
        }
        return String(decoding: written, as: UTF8.self)
    }
}

extension BlockString {
    /// How a text is laid out between triple quotes so that `value(ofRaw:)` gives it back.
    enum Layout {
        /// Nothing between the quotes.
        case empty
        /// All lines below the opening quotes, equally indented.
        case linesBelowQuotes
        /// The only line right behind the opening quotes, if its indentation counts as text.
        case lineBesideQuotes
    }

    /// The layout for a text, or nil if block syntax cannot express it.
    static func layout(for text: [UInt8]) -> Layout? {
        guard !text.isEmpty else { return .empty }
        guard !text.contains(where: { $0 == Byte.carriageReturn || Byte.isForbiddenControl($0) }) else { return nil }
        let lines = lines(of: text[...])
        // Blank first and last lines would be dropped.
        guard let first = lines.first, let last = lines.last, !isBlank(first), !isBlank(last) else { return nil }
        // Common indentation would be dropped; some line must have none.
        if lines.contains(where: { !isBlank($0) && indent(of: $0) == 0 }) { return .linesBelowQuotes }
        // The first line's indentation is kept beside the quotes, but that of the others would still be dropped.
        return lines.count == 1 ? .lineBesideQuotes : nil
    }

    /// A line with `"""` turned into `\"""`.
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

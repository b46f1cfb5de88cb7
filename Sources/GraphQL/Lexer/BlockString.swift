/// The value of block strings: `BlockStringValue()` of October 2021 §2.9.4, and its inverse for the printer.
enum BlockString {
    /// The value of the bytes between the triple quotes.
    static func value(ofRaw raw: ArraySlice<UInt8>) -> String {
        let lines = lines(of: raw)
        // The common indentation is the smallest one of all lines, without the first line and without blank lines.
        let indents = lines.dropFirst().compactMap { line in
            let indent = indent(of: line)
            return indent < line.count ? indent : nil
        }
        let common = indents.min() ?? 0
        guard let first = lines.firstIndex(where: { !isBlank($0) }), let last = lines.lastIndex(where: { !isBlank($0) })
        else { return "" }
        var value: [UInt8] = []
        value.reserveCapacity(raw.count)
        for index in first...last {
            if index > first { value.append(Byte.lineFeed) }
            append(index == 0 ? lines[index] : lines[index].dropFirst(common), to: &value)
        }
        return String(decoding: value, as: UTF8.self)
    }

    /// The number of leading spaces and tabs.
    static func indent(of line: ArraySlice<UInt8>) -> Int {
        line.prefix { $0 == Byte.space || $0 == Byte.tab }.count
    }

    static func isBlank(_ line: ArraySlice<UInt8>) -> Bool { indent(of: line) == line.count }

    /// Splits the text at LF, CRLF and CR. There is always at least one line.
    static func lines(of text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var start = text.startIndex
        var position = start
        while position < text.endIndex {
            let byte = text[position]
            guard byte == Byte.lineFeed || byte == Byte.carriageReturn else {
                position += 1
                continue
            }
            lines.append(text[start..<position])
            position += 1
            if byte == Byte.carriageReturn, position < text.endIndex, text[position] == Byte.lineFeed { position += 1 }
            start = position
        }
        lines.append(text[start...])
        return lines
    }

    /// Appends a line with `"""` in place of `\"""`.
    private static func append(_ line: ArraySlice<UInt8>, to value: inout [UInt8]) {
        var rest = line
        while let backslash = rest.firstIndex(of: Byte.backslash) {
            value.append(contentsOf: rest[..<backslash])
            let behind = rest[(backslash + 1)...]
            // The three quotes after the backslash are appended with the rest. Only the backslash is left out.
            if !behind.starts(with: tripleQuote) { value.append(Byte.backslash) }
            rest = behind
        }
        value.append(contentsOf: rest)
    }

    static let tripleQuote = [Byte.quote, Byte.quote, Byte.quote]
}

// MARK: - The layout of printed block strings

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

internal import TidelogRecordText

extension String {
    /// The text, cut to `width` columns. A mark shows where something is left out.
    func fitted(to width: Int) -> String {
        guard columnCount > width else { return self }
        var columns = 0
        var kept = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            columns += scalar.columnCount
            if columns >= width { break }
            kept.append(scalar)
        }
        return String(kept) + "…"
    }

    /// The words of the text in lines of at most `width` columns. Lines after the first one are indented. A word that is too
    /// long for a line is cut.
    func wrapped(to width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in split(separator: " ") {
            if line.isEmpty {
                line = String(word)
            } else if line.columnCount + 1 + word.columnCount <= width {
                line += " \(word)"
            } else {
                lines.append(line.fitted(to: width))
                line = "  \(word)"
            }
        }
        return lines + [line.fitted(to: width)]
    }

    /// The text with spaces up to `width` columns.
    func padded(to width: Int, right: Bool = false) -> String {
        let spaces = String(repeating: " ", count: max(0, width - columnCount))
        return right ? spaces + self : self + spaces
    }
}

// MARK: - Words of a shell

extension String {
    /// The text as a word of a shell command, in single quotes if it needs them.
    var asShellWord: String {
        let isPlain = unicodeScalars.allSatisfy { scalar in
            scalar.properties.isAlphabetic || "0123456789/._-+,:@%".unicodeScalars.contains(scalar)
        }
        return isPlain && !isEmpty ? self : inShellQuotes
    }

    /// The text as a word of a shell command, in single quotes.
    var inShellQuotes: String { "'\(replacing("'", with: "'\\''"))'" }
}

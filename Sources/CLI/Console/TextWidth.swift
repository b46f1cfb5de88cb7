extension StringProtocol {
    /// The number of terminal columns that the text takes.
    var columnCount: Int { unicodeScalars.reduce(0) { $0 + $1.columnCount } }
}

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

extension Unicode.Scalar {
    /// The columns of a character: 2 for East Asian wide characters and emoji, 0 for combining marks, 1 for all other
    /// characters.
    fileprivate var columnCount: Int {
        guard value >= 0x300 else { return 1 }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
            0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
            0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }
}

extension String {
    /// The text with JSON escapes for everything that a terminal or a browser would act on: control characters, line breaks,
    /// and marks that change the direction of writing.
    package var withEscapedControls: String { escaping { $0.isControl } }

    /// The text escaped as by ``withEscapedControls``, except that line breaks stay.
    package var withEscapedControlsOfLines: String { escaping { $0.isControl && $0 != "\n" } }

    private func escaping(_ isEscaped: (Unicode.Scalar) -> Bool) -> String {
        guard unicodeScalars.contains(where: isEscaped) else { return self }
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if isEscaped(scalar) { text.append(contentsOf: scalar.escape.unicodeScalars) } else { text.append(scalar) }
        }
        return String(text)
    }
}

extension StringProtocol {
    /// The number of terminal columns that the text takes.
    package var columnCount: Int { unicodeScalars.reduce(0) { $0 + $1.columnCount } }
}

extension Unicode.Scalar {
    /// Whether a terminal may act on the character instead of showing it.
    fileprivate var isControl: Bool {
        switch value {
        case 0..<0x20, 0x7F...0x9F: true
        // These are separators of lines and paragraphs, and marks of direction.
        case 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// The escape for the character in JSON, which predicates use as well.
    fileprivate var escape: String {
        switch self {
        case "\n": return "\\n"
        case "\r": return "\\r"
        case "\t": return "\\t"
        default:
            let digits = String(value, radix: 16)
            return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        }
    }

    /// The columns of a character: 2 for East Asian wide characters and emoji, 0 for combining marks, 1 for all other
    /// characters.
    package var columnCount: Int {
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

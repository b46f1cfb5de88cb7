extension String {
    /// The text with JSON escapes for everything that a terminal would act on: control characters, line breaks, and marks that
    /// change the direction of writing.
    var withEscapedControls: String { escaping { $0.isControl } }

    /// The text escaped as by ``withEscapedControls``, except that the line breaks between lines of JSON stay.
    var withEscapedControlsOfJSON: String { escaping { $0.isControl && $0 != "\n" } }

    private func escaping(_ isEscaped: (Unicode.Scalar) -> Bool) -> String {
        guard unicodeScalars.contains(where: isEscaped) else { return self }
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if isEscaped(scalar) { text.append(contentsOf: scalar.escape.unicodeScalars) } else { text.append(scalar) }
        }
        return String(text)
    }
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
}

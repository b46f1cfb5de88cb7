extension Printer {
    /// Prints a description on its own lines, before the described definition.
    mutating func description(_ description: StringValue?) {
        guard let description else { return }
        string(description)
        newLine()
    }

    /// Prints a string. A block string stays a block string, unless block syntax cannot represent its text.
    mutating func string(_ node: StringValue) {
        let bytes = Array(node.value.utf8)
        if node.isBlock, let layout = BlockString.layout(for: bytes) {
            block(bytes, layout)
        } else {
            quoted(node.value)
        }
    }

    private mutating func block(_ bytes: [UInt8], _ layout: BlockString.Layout) {
        write("\"\"\"")
        guard layout != .empty else { return write("\"\"\"") }
        for line in BlockString.lines(of: bytes[...]) {
            if layout == .lineBesideQuotes {
                write(BlockString.escaped(line))
            } else if line.isEmpty {
                write("\n")
            } else {
                newLine()
                write(BlockString.escaped(line))
            }
        }
        newLine()
        write("\"\"\"")
    }

    private mutating func quoted(_ value: String) {
        write("\"")
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": write("\\\"")
            case "\\": write("\\\\")
            case "\u{8}": write("\\b")
            case "\u{C}": write("\\f")
            case "\n": write("\\n")
            case "\r": write("\\r")
            case "\t": write("\\t")
            case "\u{0}"..."\u{1F}", "\u{7F}":
                let digits = String(scalar.value, radix: 16, uppercase: true)
                write("\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits)
            default: text.unicodeScalars.append(scalar)
            }
        }
        write("\"")
    }
}

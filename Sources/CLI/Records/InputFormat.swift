/// The format of an input that is not JSON lines in UTF-8. The first line of the input shows it.
enum InputFormat: Equatable {
    /// JSON lines after a byte order mark.
    case byteOrderMark
    /// Another encoding, with the name that `iconv` uses.
    case encoding(String)
    /// One JSON list that contains all objects.
    case list
    /// A table whose first line names its columns, with the separator between columns.
    case table(separator: Character)

    /// - Parameter line: The first line, without its end. The result is `nil` if the line may be JSON.
    init?(firstLine line: UnsafeRawBufferPointer) {
        if let encoding = Self.encoding(line) {
            self = .encoding(encoding)
        } else if line.starts(with: [0xEF, 0xBB, 0xBF]) {
            self = .byteOrderMark
        } else if line.first(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }) == UInt8(ascii: "[") {
            self = .list
        } else if let separator = Self.separator(String(decoding: line.prefix(4_096), as: UTF8.self)) {
            self = .table(separator: separator)
        } else {
            return nil
        }
    }

    /// The encoding that a byte order mark names or a zero byte shows. JSON and CSV begin with an ASCII character.
    private static func encoding(_ line: UnsafeRawBufferPointer) -> String? {
        if line.starts(with: [0xFF, 0xFE, 0, 0]) || line.starts(with: [0, 0, 0xFE, 0xFF]) { return "UTF-32" }
        if line.starts(with: [0xFF, 0xFE]) || line.starts(with: [0xFE, 0xFF]) { return "UTF-16" }
        guard line.count >= 2 else { return nil }
        switch (line[0], line[1]) {
        case (1..., 0): return "UTF-16LE"
        case (0, 1...): return "UTF-16BE"
        default: return nil
        }
    }

    /// The character that separates the names of columns; `nil` if `line` does not name columns.
    private static func separator(_ line: String) -> Character? {
        guard line.first != "{" else { return nil }
        return [",", ";", "\t"].first { separator in
            let names = line.split(separator: separator, omittingEmptySubsequences: false)
            return names.count > 1 && names.allSatisfy { isColumnName($0) }
        }
    }

    private static func isColumnName(_ text: Substring) -> Bool {
        let name = text.drop { $0 == " " || $0 == "\"" }
        guard let first = name.unicodeScalars.first, first.properties.isAlphabetic || first == "_" else { return false }
        return name.unicodeScalars.allSatisfy { scalar in
            scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                || "_-. \"()/".unicodeScalars.contains(scalar)
        }
    }
}

extension InputFormat {
    /// Whether no line of such an input can be read.
    var isHopeless: Bool {
        if case .encoding = self { true } else { false }
    }

    /// A statement about the format of the input called `name`.
    func statement(_ name: String) -> String {
        switch self {
        case .byteOrderMark: "\(name) begins with a byte order mark (BOM), which is no part of JSON"
        case .encoding(let encoding): "\(name) is in \(encoding.prefix(6)), and JSON lines are in UTF-8"
        case .list: "\(name) is one JSON list, and a JSON object a line is expected"
        case .table: "\(name) begins with the head of a table (CSV), and a JSON object a line is expected"
        }
    }

    /// The advice how to convert `file` so that `command` can read it.
    func wayOut(_ file: String, _ command: String) -> String {
        let conversion =
            switch self {
            case .byteOrderMark: "Leave the mark out: `tail -c +4 \(file)"
            case .encoding(let encoding): "Convert it: `iconv -f \(encoding) -t UTF-8 \(file)"
            case .list: "Take the objects out of the list: `jq -c '.[]' \(file)"
            case .table(","): "Convert the table, with Miller for example: `mlr --icsv --ojsonl cat \(file)"
            case .table("\t"): "Convert the table, with Miller for example: `mlr --itsv --ojsonl cat \(file)"
            case .table(let separator):
                "Convert the table, with Miller for example: `mlr --icsv --ifs '\(separator)' --ojsonl cat \(file)"
            }
        return "\(conversion) | \(command)`."
    }
}

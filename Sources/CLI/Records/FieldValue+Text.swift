internal import Tidelog
internal import TidelogJSON

extension FieldValue {
    /// The value in the form that a table shows.
    var text: String {
        switch self {
        case .string(let value): value
        case .int(let value): String(value)
        case .double(let value): value.description
        case .bool(let value): value ? "true" : "false"
        case .date(let value): value.text
        case .time(let value): value.text
        case .dateTime(let value): value.text
        case .list(let values): values.map { $0?.text ?? "–" }.joined(separator: ", ")
        case .embedded(let values):
            "{" + values.sorted { $0.key < $1.key }.map { "\($0): \($1.text)" }.joined(separator: ", ") + "}"
        }
    }
}

extension RecordID {
    /// The id in a form for people to read.
    var text: String { components.map(\.text).joined(separator: " ") }
}

extension FieldType {
    /// Whether the values of the type are numbers.
    var isNumber: Bool {
        switch self {
        case .int, .double, .timestamp: true
        default: false
        }
    }
}

extension JSONWriter {
    /// Writes the id of a record: the value of its key field, or an array if the model has several key fields.
    mutating func id(_ id: RecordID) {
        if id.components.count == 1 { return scalar(id.components[0]) }
        beginArray()
        for component in id.components { scalar(component) }
        endArray()
    }

    private mutating func scalar(_ value: FieldValue) {
        switch value {
        case .int(let value): int(value)
        case .double(let value): double(value)
        case .bool(let value): bool(value)
        default: string(value.text)
        }
    }

    /// Writes a member whose value is a whole number.
    mutating func member(_ name: String, _ value: some BinaryInteger) {
        key(name)
        int(Int64(clamping: value))
    }

    /// Writes a member whose value is a text.
    mutating func member(_ name: String, _ value: String) {
        key(name)
        string(value)
    }

    /// Writes a member whose value is a list of texts.
    mutating func texts(_ name: String, _ texts: [String]) {
        key(name)
        beginArray()
        for text in texts { string(text) }
        endArray()
    }

    /// Writes a member whose value is true or false.
    mutating func member(_ name: String, _ value: Bool) {
        key(name)
        bool(value)
    }
}

extension StandardOutput {
    /// Writes a JSON object as one line.
    func writeObject(_ body: (inout JSONWriter) throws -> Void) throws {
        var writer = JSONWriter()
        writer.beginObject()
        try body(&writer)
        writer.endObject()
        writer.endLine()
        try writeJSON(writer.bytes)
    }
}

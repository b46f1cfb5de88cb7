@_spi(Adapters) package import TidelogCore

extension FieldValue {
    /// The value in the form that a table shows.
    package var text: String {
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

    /// The value of `field` that `text` stands for; `nil` if the text is not a value of the field's type.
    package init?(argument text: String, for field: FieldLayout) {
        let value: FieldValue?
        switch field.type {
        case .id, .string, .enumeration: value = .string(text)
        case .int, .timestamp: value = Int64(text).map { .int($0) }
        case .double: value = Double(text).map { .double($0) }
        case .bool: value = Bool(text).map { .bool($0) }
        case .date: value = (try? Temporal.Date(text)).map { .date($0) }
        case .time: value = (try? Temporal.Time(text)).map { .time($0) }
        case .dateTime: value = (try? Temporal.DateTime(text)).map { .dateTime($0) }
        case .embedded, .list: value = nil
        }
        guard let value else { return nil }
        self = value
    }
}

extension RecordID {
    /// The id in a form for people to read.
    package var text: String { components.map(\.text).joined(separator: " ") }
}

extension FieldType {
    /// Whether the values of the type are numbers.
    package var isNumber: Bool {
        switch self {
        case .int, .double, .timestamp: true
        default: false
        }
    }
}

internal import TidelogCore

/// Converts key values to texts and back.
enum KeyText {
    /// The text of a key value.
    static func text(_ value: FieldValue) -> String {
        switch value {
        case .string(let text): text
        case .int(let number): "\(number)"
        case .double(let number): "\(number)"
        case .bool(let truth): "\(truth)"
        case .date(let date): date.text
        case .time(let time): time.text
        case .dateTime(let dateTime): dateTime.text
        case .list, .embedded: preconditionFailure("keys are made of values that have an order")
        }
    }

    /// The key value of `text` in a field of `type`; `nil` if the text is not valid.
    static func value(_ text: String, _ type: FieldType) -> FieldValue? {
        switch type {
        case .id, .string, .enumeration: .string(text)
        case .int, .timestamp: Int64(text).map { .int($0) }
        case .double: Double(text).map { .double($0) }
        case .bool: Bool(text).map { .bool($0) }
        case .date: (try? Temporal.Date(text)).map { .date($0) }
        case .time: (try? Temporal.Time(text)).map { .time($0) }
        case .dateTime: (try? Temporal.DateTime(text)).map { .dateTime($0) }
        case .list, .embedded: nil
        }
    }
}

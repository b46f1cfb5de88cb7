import TidelogCore

extension FieldValue {
    /// A text that shows everything about a value, including properties that equality ignores: the text of a temporal,
    /// whether a number is whole, and the sign of zero.
    var exact: String {
        switch self {
        case .string(let text): "text \(Array(text.utf8))"
        case .int(let number): "int \(number)"
        case .double(let number): "double \(number.bitPattern)"
        case .bool(let flag): "bool \(flag)"
        case .date(let date): "date \(date.text) \(date.instant)"
        case .time(let time): "time \(time.text) \(time.instant)"
        case .dateTime(let dateTime): "dateTime \(dateTime.text) \(dateTime.instant)"
        case .embedded(let values): values.exact
        case .list(let values): "[\(values.map { $0?.exact ?? "missing" }.joined(separator: ", "))]"
        }
    }
}

extension [String: FieldValue] {
    var exact: String {
        "{\(sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.exact)" }.joined(separator: ", "))}"
    }

    /// The values, with the defaults of `fields` for missing values.
    func filled(_ fields: [FieldSchema]) -> [String: FieldValue] {
        var values = self
        for field in fields where values[field.name] == nil { values[field.name] = field.defaultValue }
        return values
    }
}

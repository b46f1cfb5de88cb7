internal import TidelogCore
internal import TidelogGraphQL

extension InputValue {
    /// The input value that a client would send for `value`.
    init(_ value: FieldValue) {
        self =
            switch value {
            case .string(let text): .string(text)
            case .int(let number): .int(number)
            case .double(let number): .double(number)
            case .bool(let truth): .bool(truth)
            case .date(let date): .string(date.text)
            case .time(let time): .string(time.text)
            case .dateTime(let dateTime): .string(dateTime.text)
            case .list(let elements): .list(elements.map { element in element.map { InputValue($0) } ?? .null })
            case .embedded(let values):
                .object(InputObject(values.map { .init(name: $0.key, value: InputValue($0.value)) }))
            }
    }
}

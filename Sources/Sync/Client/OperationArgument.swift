internal import TidelogCore
internal import TidelogJSON

/// An argument of an operation. Its value comes from a variable of the same name.
struct OperationArgument: Sendable {
    let name: String
    /// The type of the variable in the schema language.
    let type: String
    /// The value as JSON.
    let json: [UInt8]

    init(_ name: String, _ type: String, json: [UInt8]) {
        self.name = name
        self.type = type
        self.json = json
    }

    init(_ name: String, _ type: String, _ value: FieldValue) {
        var writer = JSONWriter()
        writer.value(value)
        self.init(name, type, json: writer.bytes)
    }
}

extension JSONWriter {
    /// Writes a field's value in the form that a server's API takes.
    mutating func value(_ value: FieldValue?) {
        switch value {
        case nil: null()
        case .string(let text)?: string(text)
        case .int(let number)?: int(number)
        case .double(let number)?: double(number)
        case .bool(let flag)?: bool(flag)
        case .date(let date)?: string(date.text)
        case .time(let time)?: string(time.text)
        case .dateTime(let dateTime)?: string(dateTime.text)
        case .list(let elements)?:
            beginArray()
            for element in elements { self.value(element) }
            endArray()
        case .embedded(let values)?:
            beginObject()
            for (name, value) in values.sorted(by: { $0.key < $1.key }) {
                key(name)
                self.value(value)
            }
            endObject()
        }
    }
}

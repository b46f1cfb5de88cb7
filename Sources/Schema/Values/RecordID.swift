/// The id of a record in its model: the values of the fields of its primary key, in order.
public struct RecordID: Sendable, Hashable {
    /// The values of the key, in the order of the schema's primary key.
    public let components: [FieldValue]

    /// The id with these key values.
    public init(_ components: [FieldValue]) { self.components = components }

    /// The id of a record whose key is one text.
    public init(_ text: String) { components = [.string(text)] }
}

extension RecordID: ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
    /// The id of a record whose key is one text.
    public init(stringLiteral value: String) { self.init(value) }
    /// The id with these key values.
    public init(arrayLiteral elements: FieldValue...) { self.init(elements) }
}

extension RecordID: CustomStringConvertible {
    /// The values of the key, separated by spaces.
    public var description: String {
        components.map { value in
            switch value {
            case .string(let text): text
            case .int(let number): String(number)
            case .double(let number): number.description
            case .bool(let flag): flag.description
            case .date(let date): date.text
            case .time(let time): time.text
            case .dateTime(let dateTime): dateTime.text
            case .list, .embedded: "\(value)"
            }
        }
        .joined(separator: " ")
    }
}

/// What identifies a record in its model: the values of its primary key's fields, in order.
public struct RecordID: Sendable, Hashable {
    /// The key's values in the order of the schema's primary key.
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

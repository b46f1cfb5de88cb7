/// A ``RecordID`` with its model as a type, so that the compiler keeps ids of different models apart.
public struct ModelID<Target: Model>: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The untyped id.
    public let recordID: RecordID

    /// The id with these key values, in the order of the schema's primary key.
    public init(_ components: [FieldValue]) { recordID = RecordID(components) }

    /// The id of a record whose key is one text.
    public init(stringLiteral value: String) { recordID = RecordID(value) }
}

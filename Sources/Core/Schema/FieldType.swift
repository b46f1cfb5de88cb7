/// The type of a field, as the schema declares it.
public indirect enum FieldType: Sendable, Hashable {
    /// `ID`: text that identifies; UUIDs are kept in 16 bytes in keys.
    case id
    /// `String` and the AWS scalars that are text.
    case string
    /// `Int`: 64 bits.
    case int
    /// `Float`: finite, IEEE 754 binary64.
    case double
    /// `Boolean`.
    case bool
    /// An enum of the schema, by name; kept as its raw text.
    case enumeration(String)
    /// `AWSDate`.
    case date
    /// `AWSTime`.
    case time
    /// `AWSDateTime`.
    case dateTime
    /// `AWSTimestamp`: whole seconds since 1970-01-01T00:00:00Z.
    case timestamp
    /// A type of the schema that is not a model, by name.
    case embedded(String)
    /// A list; whether its elements may be missing is `elementIsRequired`.
    case list(FieldType, elementIsRequired: Bool)

    /// Whether values of this type have an order, so that `<`, sorting and index keys make sense.
    public var isOrdered: Bool {
        switch self {
        case .embedded, .list: false
        default: true
        }
    }

    /// Whether values are text without a meaning of their own: compared by UTF-8 bytes.
    public var isText: Bool {
        switch self {
        case .id, .string, .enumeration: true
        default: false
        }
    }
}

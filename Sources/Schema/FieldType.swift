/// The declared type of a field.
public indirect enum FieldType: Sendable, Hashable {
    /// `ID`: text that identifies a record. In keys, UUIDs take 16 bytes.
    case id
    /// `String`, and the AWS scalars that are texts.
    case string
    /// `Int`: 64 bits.
    case int
    /// `Float`: finite, IEEE 754 binary64.
    case double
    /// `Boolean`.
    case bool
    /// An enum of the schema, by its name. It is stored as its raw text.
    case enumeration(String)
    /// `AWSDate`.
    case date
    /// `AWSTime`.
    case time
    /// `AWSDateTime`.
    case dateTime
    /// `AWSTimestamp`: whole seconds since 1970-01-01T00:00:00Z.
    case timestamp
    /// A type of the schema other than a model, by its name.
    case embedded(String)
    /// A list. If `elementIsRequired` is false, its elements may be missing.
    case list(FieldType, elementIsRequired: Bool)

    /// Whether values of this type have an order, so that `<`, sorting and index keys make sense.
    public var isOrdered: Bool {
        switch self {
        case .embedded, .list: false
        default: true
        }
    }

    /// Whether values are texts that are compared by their UTF-8 bytes, without a further meaning.
    public var isText: Bool {
        switch self {
        case .id, .string, .enumeration: true
        default: false
        }
    }

    /// The type in the schema language, without the scalar that the field may declare.
    package var sdl: String {
        switch self {
        case .id: "ID"
        case .string: "String"
        case .int: "Int"
        case .double: "Float"
        case .bool: "Boolean"
        case .date: "AWSDate"
        case .time: "AWSTime"
        case .dateTime: "AWSDateTime"
        case .timestamp: "AWSTimestamp"
        case .enumeration(let name), .embedded(let name): name
        case .list(let element, let elementIsRequired): "[\(element.sdl)\(elementIsRequired ? "!" : "")]"
        }
    }
}

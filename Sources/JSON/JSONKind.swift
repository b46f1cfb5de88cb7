/// The six kinds of JSON values (RFC 8259, section 3). `true` and `false` are one kind here.
public enum JSONKind: Hashable, Sendable {
    /// `{ … }`
    case object
    /// `[ … ]`
    case array
    /// `" … "`
    case string
    /// A number, whether or not it has a fraction.
    case number
    /// `true` or `false`.
    case bool
    /// `null`.
    case null

    /// The kind of a value that starts with `byte`; `nil` if no value does.
    init?(startingWith byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): self = .string
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): self = .number
        case UInt8(ascii: "{"): self = .object
        case UInt8(ascii: "["): self = .array
        case UInt8(ascii: "t"), UInt8(ascii: "f"): self = .bool
        case UInt8(ascii: "n"): self = .null
        default: return nil
        }
    }
}

extension JSONKind: CustomStringConvertible {
    /// The kind with an article, for messages.
    public var description: String {
        switch self {
        case .object: "an object"
        case .array: "an array"
        case .string: "a string"
        case .number: "a number"
        case .bool: "a boolean"
        case .null: "null"
        }
    }
}

/// A JSON value as a tree, for tools. Code that must be fast reads and writes without a tree.
///
/// Integers stay exact: a number without fraction and exponent is ``int(_:)``, and every other number is ``double(_:)``.
/// Objects keep the order of their members, and members with repeated keys.
public enum JSONValue: Sendable {
    /// `null`
    case null
    /// `true` or `false`
    case bool(Bool)
    /// A number without fraction and exponent.
    case int(Int64)
    /// A number with a fraction or an exponent. Only a finite number can be written.
    case double(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object's members, in order.
    case object([JSONMember])
}

/// A key and its value.
public struct JSONMember: Sendable {
    /// The key.
    public var key: String
    /// The value.
    public var value: JSONValue

    /// Makes a member of an object.
    public init(_ key: String, _ value: JSONValue) {
        self.key = key
        self.value = value
    }
}

extension JSONValue {
    /// The value of the first member whose key has the UTF-8 bytes of `key`; `nil` if there is none, or if the value is not an
    /// object.
    public subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key.utf8.elementsEqual(key.utf8) }?.value
    }
}

extension JSONValue: Equatable {
    /// Whether both values have the same case and are equal. Strings are compared by their UTF-8 bytes, and objects including
    /// the order of their members.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.int(let left), .int(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }
}

extension JSONMember: Equatable {
    /// Whether the values are equal, and the keys have the same UTF-8 bytes.
    public static func == (left: JSONMember, right: JSONMember) -> Bool {
        left.key.utf8.elementsEqual(right.key.utf8) && left.value == right.value
    }
}

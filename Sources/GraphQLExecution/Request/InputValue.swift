/// An input value: the value of a variable as a client sends it, or an argument after input coercion (§3.5 … §3.12).
///
/// A coerced enum value is the text of its name. An object does not contain members without a value, but it contains members
/// that are null.
package enum InputValue: Sendable, Hashable {
    /// Null.
    case null
    /// True or false.
    case bool(Bool)
    /// A whole number.
    case int(Int64)
    /// Any other number.
    case double(Double)
    /// Text, an ID or the name of an enum value.
    case string(String)
    /// A list.
    case list([InputValue])
    /// An object.
    case object(InputObject)

    /// The value of an object's member; `nil` if this value is no object or has no such member.
    package subscript(name: String) -> InputValue? {
        if case .object(let object) = self { object[name] } else { nil }
    }

    /// Whether the value is null.
    package var isNull: Bool {
        if case .null = self { true } else { false }
    }
}

extension InputValue {
    /// Whether the values are equal. Texts are compared byte by byte.
    package static func == (left: InputValue, right: InputValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.int(let left), .int(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.string(let left), .string(let right)): left.isExactly(right)
        case (.list(let left), .list(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let truth): hasher.combine(truth)
        case .int(let number): hasher.combine(number)
        case .double(let number): hasher.combine(number)
        case .string(let text): hasher.combine(ExactText(text))
        case .list(let elements): hasher.combine(elements)
        case .object(let object): hasher.combine(object)
        }
    }
}

extension InputValue: ExpressibleByDictionaryLiteral {
    /// Makes an object from a literal.
    package init(dictionaryLiteral elements: (String, InputValue)...) {
        self = .object(InputObject(elements.map { .init(name: $0.0, value: $0.1) }))
    }
}

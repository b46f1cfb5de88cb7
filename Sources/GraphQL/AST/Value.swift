/// Value (October 2021 §2.9): a literal or a variable.
public enum Value: Sendable, Hashable {
    /// `$name`. Constant values cannot contain variables.
    case variable(Variable)
    /// IntValue (§2.9.1), such as `-12`: an integer of any size, kept as it is written in the source.
    case int(String, span: SourceSpan = .none)
    /// FloatValue (§2.9.2), such as `6.0221e23`: a decimal fraction of any precision, kept as it is written in the source.
    case float(String, span: SourceSpan = .none)
    /// `"text"` or `"""text"""`.
    case string(StringValue)
    /// BooleanValue (§2.9.3): `true` or `false`.
    case boolean(Bool, span: SourceSpan = .none)
    /// NullValue (§2.9.5): `null`.
    case null(span: SourceSpan = .none)
    /// EnumValue (§2.9.6): a name other than `true`, `false` and `null`.
    case `enum`(Name)
    /// ListValue (§2.9.7): `[a, b]`.
    case list([Value], span: SourceSpan = .none)
    /// ObjectValue (§2.9.8): `{a: 1, b: 2}`. Names may occur twice here; validation refuses that.
    case object([ObjectField], span: SourceSpan = .none)

    /// Variable (October 2021 §2.10): `$name`.
    public struct Variable: Sendable, Hashable {
        /// The name after the `$`.
        public var name: Name
        /// The source bytes of the node.
        public var span: SourceSpan
    }

    /// ObjectField (October 2021 §2.9.8): `name: value`.
    public struct ObjectField: Sendable, Hashable {
        /// The name.
        public var name: Name
        /// The value.
        public var value: Value
        /// The source bytes of the node.
        public var span: SourceSpan

        /// Makes a node in code, without parsing.
        public init(name: Name, value: Value, span: SourceSpan = .none) {
            self.name = name
            self.value = value
            self.span = span
        }
    }
}

extension Value {
    /// The source bytes of the node.
    public var span: SourceSpan {
        switch self {
        case .variable(let variable): variable.span
        case .string(let value): value.span
        case .enum(let name): name.span
        case .int(_, let span), .float(_, let span), .boolean(_, let span), .null(let span), .list(_, let span),
            .object(_, let span):
            span
        }
    }

    /// The integer of an int literal, if it fits into 64 bits.
    public var int: Int64? {
        if case .int(let text, _) = self { Int64(text) } else { nil }
    }

    /// The number of an int or float literal, rounded to the nearest double; `nil` outside the range of doubles.
    public var double: Double? {
        switch self {
        case .int(let text, _), .float(let text, _): Double(text).flatMap { $0.isFinite ? $0 : nil }
        default: nil
        }
    }

    /// The text of a string literal.
    public var string: String? {
        if case .string(let value) = self { value.value } else { nil }
    }

    /// The value of a boolean literal.
    public var boolean: Bool? {
        if case .boolean(let value, _) = self { value } else { nil }
    }

    /// The name of an enum literal.
    public var enumName: String? {
        if case .enum(let name) = self { name.value } else { nil }
    }

    /// The name of a variable.
    public var variableName: String? {
        if case .variable(let variable) = self { variable.name.value } else { nil }
    }

    /// The elements of a list literal.
    public var elements: [Value]? {
        if case .list(let values, _) = self { values } else { nil }
    }

    /// The fields of an object literal.
    public var fields: [ObjectField]? {
        if case .object(let fields, _) = self { fields } else { nil }
    }

    /// Whether the value is the literal `null`.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The value of an object literal's first field with this name.
    public subscript(name: String) -> Value? { fields?.first { $0.name.value == name }?.value }
}

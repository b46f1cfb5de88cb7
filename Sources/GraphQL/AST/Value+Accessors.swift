extension Value {
    /// The source bytes of the node.
    public var span: SourceSpan {
        switch self {
        case .variable(let value): value.span
        case .int(let value): value.span
        case .float(let value): value.span
        case .string(let value): value.span
        case .boolean(let value): value.span
        case .null(let value): value.span
        case .enum(let value): value.span
        case .list(let value): value.span
        case .object(let value): value.span
        }
    }

    /// The integer of an int literal, if it fits into 64 bits.
    public var int: Int64? {
        if case .int(let value) = self { Int64(value.text) } else { nil }
    }

    /// The number of an int or float literal, rounded to the nearest double; `nil` outside the range of doubles.
    public var double: Double? {
        switch self {
        case .int(let value): Value.finite(value.text)
        case .float(let value): Value.finite(value.text)
        default: nil
        }
    }

    /// The text of a string literal.
    public var string: String? {
        if case .string(let value) = self { value.value } else { nil }
    }

    /// The value of a boolean literal.
    public var boolean: Bool? {
        if case .boolean(let value) = self { value.value } else { nil }
    }

    /// The name of an enum literal.
    public var enumName: String? {
        if case .enum(let value) = self { value.name.value } else { nil }
    }

    /// The name of a variable.
    public var variableName: String? {
        if case .variable(let value) = self { value.name.value } else { nil }
    }

    /// The elements of a list literal.
    public var elements: [Value]? {
        if case .list(let value) = self { value.values } else { nil }
    }

    /// The fields of an object literal.
    public var fields: [ObjectField]? {
        if case .object(let value) = self { value.fields } else { nil }
    }

    /// Whether the value is the literal `null`.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The value of an object literal's first field with this name.
    public subscript(name: String) -> Value? {
        fields?.first { $0.name.value == name }?.value
    }

    private static func finite(_ text: String) -> Double? {
        Double(text).flatMap { $0.isFinite ? $0 : nil }
    }
}

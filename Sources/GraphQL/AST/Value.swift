/// Value (October 2021 §2.9): a literal or a variable.
public enum Value: Sendable, Hashable {
    /// `$name`. Constant values cannot contain variables.
    case variable(Variable)
    /// `42`.
    case int(IntValue)
    /// `4.2e1`.
    case float(FloatValue)
    /// `"text"` or `"""text"""`.
    case string(StringValue)
    /// `true` or `false`.
    case boolean(BooleanValue)
    /// `null`.
    case null(NullValue)
    /// A name other than `true`, `false` and `null`.
    case `enum`(EnumValue)
    /// `[a, b]`.
    case list(ListValue)
    /// `{a: 1, b: 2}`.
    case object(ObjectValue)
}

/// Variable (October 2021 §2.10): `$name`.
public struct Variable: Sendable, Hashable {
    /// The name after the `$`.
    public var name: Name
    /// The source bytes of the node.
    public var span: SourceSpan

    /// Makes a node in code, without parsing.
    public init(name: Name, span: SourceSpan = .none) {
        self.name = name
        self.span = span
    }
}

/// IntValue (October 2021 §2.9.1): an integer of any size, kept as it is written in the source.
public struct IntValue: Sendable, Hashable {
    /// The literal, such as `-12`.
    public var text: String
    /// The source bytes of the node.
    public var span: SourceSpan

    /// Makes a node in code, without parsing.
    public init(text: String, span: SourceSpan = .none) {
        self.text = text
        self.span = span
    }
}

/// FloatValue (October 2021 §2.9.2): a decimal fraction of any precision, kept as it is written in the source.
public struct FloatValue: Sendable, Hashable {
    /// The literal, such as `6.0221e23`.
    public var text: String
    /// The source bytes of the node.
    public var span: SourceSpan

    /// Makes a node in code, without parsing.
    public init(text: String, span: SourceSpan = .none) {
        self.text = text
        self.span = span
    }
}

/// StringValue (October 2021 §2.9.4): a text. Escapes and the indentation of block strings are already resolved.
public struct StringValue: Sendable, Hashable {
    /// The text of the string.
    public var value: String
    /// Whether the string is written between triple quotes.
    public var isBlock: Bool
    /// The source bytes of the node.
    public var span: SourceSpan

    /// Makes a node in code, without parsing.
    public init(value: String, isBlock: Bool = false, span: SourceSpan = .none) {
        self.value = value
        self.isBlock = isBlock
        self.span = span
    }
}

extension StringValue {
    /// Whether the nodes are equal. Texts are compared byte by byte.
    public static func == (left: StringValue, right: StringValue) -> Bool {
        left.value.isExactly(right.value) && left.isBlock == right.isBlock && left.span == right.span
    }

    /// Hashes the text by its bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ExactText(value))
        hasher.combine(isBlock)
        hasher.combine(span)
    }
}

/// BooleanValue (October 2021 §2.9.3).
public struct BooleanValue: Sendable, Hashable {
    /// Whether the value is `true`.
    public var value: Bool
    /// The source bytes of the node.
    public var span: SourceSpan

    /// Makes a node in code, without parsing.
    public init(value: Bool, span: SourceSpan = .none) {
        self.value = value
        self.span = span
    }
}

/// NullValue (October 2021 §2.9.5): `null`.
public struct NullValue: Sendable, Hashable {
    /// The source bytes of the node.
    public var span: SourceSpan

    /// Makes a node in code, without parsing.
    public init(span: SourceSpan = .none) {
        self.span = span
    }
}

/// EnumValue (October 2021 §2.9.6).
public struct EnumValue: Sendable, Hashable {
    /// The name of the value.
    public var name: Name
    /// The source bytes of the node.
    public var span: SourceSpan

    /// Makes a node in code, without parsing.
    public init(name: Name, span: SourceSpan = .none) {
        self.name = name
        self.span = span
    }
}

/// ListValue (October 2021 §2.9.7).
public struct ListValue: Sendable, Hashable {
    /// The elements, in order.
    public var values: [Value]
    /// The source bytes of the node.
    public var span: SourceSpan

    /// Makes a node in code, without parsing.
    public init(values: [Value], span: SourceSpan = .none) {
        self.values = values
        self.span = span
    }
}

/// ObjectValue (October 2021 §2.9.8).
public struct ObjectValue: Sendable, Hashable {
    /// The fields, in order. Names may occur twice here; validation refuses that.
    public var fields: [ObjectField]
    /// The source bytes of the node.
    public var span: SourceSpan

    /// Makes a node in code, without parsing.
    public init(fields: [ObjectField], span: SourceSpan = .none) {
        self.fields = fields
        self.span = span
    }
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

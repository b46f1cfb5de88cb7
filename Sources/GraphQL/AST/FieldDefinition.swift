/// FieldDefinition (October 2021 §3.6): `name(arguments): Type @directives`.
public struct FieldDefinition: Sendable, Hashable {
    /// The description before the definition.
    public var description: StringValue?
    /// The name.
    public var name: Name
    /// The arguments, in order.
    public var arguments: [InputValueDefinition]
    /// The type of the field's value.
    public var type: TypeReference
    /// The directives, in order.
    public var directives: [Directive]
    /// The source bytes of the node.
    public var span: SourceSpan

    /// Makes a node in code, without parsing.
    public init(
        description: StringValue? = nil, name: Name, arguments: [InputValueDefinition] = [], type: TypeReference,
        directives: [Directive] = [], span: SourceSpan = .none
    ) {
        self.description = description
        self.name = name
        self.arguments = arguments
        self.type = type
        self.directives = directives
        self.span = span
    }
}

extension [FieldDefinition] {
    /// The first field with this name.
    public func first(named name: String) -> FieldDefinition? { first { $0.name.value == name } }
}

/// InputValueDefinition (October 2021 §3.6.1): `name: Type = default @directives`, which defines an argument or an input field.
public struct InputValueDefinition: Sendable, Hashable {
    /// The description before the definition.
    public var description: StringValue?
    /// The name.
    public var name: Name
    /// The type of the value.
    public var type: TypeReference
    /// The default value, which is constant.
    public var defaultValue: Value?
    /// The directives, in order.
    public var directives: [Directive]
    /// The source bytes of the node.
    public var span: SourceSpan

    /// Makes a node in code, without parsing.
    public init(
        description: StringValue? = nil, name: Name, type: TypeReference, defaultValue: Value? = nil,
        directives: [Directive] = [], span: SourceSpan = .none
    ) {
        self.description = description
        self.name = name
        self.type = type
        self.defaultValue = defaultValue
        self.directives = directives
        self.span = span
    }
}

extension [InputValueDefinition] {
    /// The first argument or input field with this name.
    public func first(named name: String) -> InputValueDefinition? { first { $0.name.value == name } }
}

/// EnumValueDefinition (October 2021 §3.9): `NAME @directives`.
public struct EnumValueDefinition: Sendable, Hashable {
    /// The description before the definition.
    public var description: StringValue?
    /// The name, which is never `true`, `false` or `null`.
    public var name: Name
    /// The directives, in order.
    public var directives: [Directive]
    /// The source bytes of the node.
    public var span: SourceSpan

    /// Makes a node in code, without parsing.
    public init(description: StringValue? = nil, name: Name, directives: [Directive] = [], span: SourceSpan = .none) {
        self.description = description
        self.name = name
        self.directives = directives
        self.span = span
    }
}

extension [EnumValueDefinition] {
    /// The first enum value with this name.
    public func first(named name: String) -> EnumValueDefinition? { first { $0.name.value == name } }
}

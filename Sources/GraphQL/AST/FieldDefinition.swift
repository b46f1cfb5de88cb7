/// FieldDefinition (October 2021 §3.6): `name(arguments): Type @directives`.
public struct FieldDefinition: Sendable, Hashable {
    /// The description in front of it.
    public var description: StringValue?
    /// Its name.
    public var name: Name
    /// The arguments, in order.
    public var arguments: [InputValueDefinition]
    /// The type of its value.
    public var type: TypeReference
    /// The directives on it, in order.
    public var directives: [Directive]
    /// The bytes it was parsed from.
    public var span: SourceSpan

    /// Makes a node by hand.
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

/// InputValueDefinition (October 2021 §3.6.1): an argument's or an input field's `name: Type = default @directives`.
public struct InputValueDefinition: Sendable, Hashable {
    /// The description in front of it.
    public var description: StringValue?
    /// Its name.
    public var name: Name
    /// The type of its value.
    public var type: TypeReference
    /// Its value when none is given; constant.
    public var defaultValue: Value?
    /// The directives on it, in order.
    public var directives: [Directive]
    /// The bytes it was parsed from.
    public var span: SourceSpan

    /// Makes a node by hand.
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

/// EnumValueDefinition (October 2021 §3.9): `NAME @directives`.
public struct EnumValueDefinition: Sendable, Hashable {
    /// The description in front of it.
    public var description: StringValue?
    /// Its name; never `true`, `false` or `null`.
    public var name: Name
    /// The directives on it, in order.
    public var directives: [Directive]
    /// The bytes it was parsed from.
    public var span: SourceSpan

    /// Makes a node by hand.
    public init(
        description: StringValue? = nil, name: Name, directives: [Directive] = [], span: SourceSpan = .none
    ) {
        self.description = description
        self.name = name
        self.directives = directives
        self.span = span
    }
}

extension [FieldDefinition] {
    /// The first field of that name.
    public func first(named name: String) -> FieldDefinition? { first { $0.name.value == name } }
}

extension [InputValueDefinition] {
    /// The first argument or input field of that name.
    public func first(named name: String) -> InputValueDefinition? { first { $0.name.value == name } }
}

extension [EnumValueDefinition] {
    /// The first enum value of that name.
    public func first(named name: String) -> EnumValueDefinition? { first { $0.name.value == name } }
}

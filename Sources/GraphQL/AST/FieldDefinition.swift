/// FieldDefinition (October 2021 §3.6): `name(arguments): Type @directives`.
package struct FieldDefinition: Sendable, Hashable {
    /// The description before the definition.
    package var description: StringValue?
    /// The name.
    package var name: Name
    /// The arguments, in order.
    package var arguments: [InputValueDefinition]
    /// The type of the field's value.
    package var type: TypeReference
    /// The directives, in order.
    package var directives: [Directive]
    /// The source bytes of the node.
    package var span: SourceSpan

    /// Makes a node in code, without parsing.
    package init(
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

/// InputValueDefinition (October 2021 §3.6.1): `name: Type = default @directives`, which defines an argument or an input field.
package struct InputValueDefinition: Sendable, Hashable {
    /// The description before the definition.
    package var description: StringValue?
    /// The name.
    package var name: Name
    /// The type of the value.
    package var type: TypeReference
    /// The default value, which is constant.
    package var defaultValue: Value?
    /// The directives, in order.
    package var directives: [Directive]
    /// The source bytes of the node.
    package var span: SourceSpan

    /// Makes a node in code, without parsing.
    package init(
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
package struct EnumValueDefinition: Sendable, Hashable {
    /// The description before the definition.
    package var description: StringValue?
    /// The name, which is never `true`, `false` or `null`.
    package var name: Name
    /// The directives, in order.
    package var directives: [Directive]
    /// The source bytes of the node.
    package var span: SourceSpan

    /// Makes a node in code, without parsing.
    package init(
        description: StringValue? = nil, name: Name, directives: [Directive] = [], span: SourceSpan = .none
    ) {
        self.description = description
        self.name = name
        self.directives = directives
        self.span = span
    }
}

extension [FieldDefinition] {
    /// The first field with this name.
    package func first(named name: String) -> FieldDefinition? { first { $0.name.value == name } }
}

extension [InputValueDefinition] {
    /// The first argument or input field with this name.
    package func first(named name: String) -> InputValueDefinition? { first { $0.name.value == name } }
}

extension [EnumValueDefinition] {
    /// The first enum value with this name.
    package func first(named name: String) -> EnumValueDefinition? { first { $0.name.value == name } }
}

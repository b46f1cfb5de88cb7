/// TypeDefinition (October 2021 §3.4).
public enum TypeDefinition: Sendable, Hashable {
    /// `scalar Name @directives`.
    case scalar(ScalarTypeDefinition)
    /// `type Name implements A & B @directives { … }`.
    case object(ObjectTypeDefinition)
    /// `interface Name implements A @directives { … }`.
    case interface(InterfaceTypeDefinition)
    /// `union Name @directives = A | B`.
    case union(UnionTypeDefinition)
    /// `enum Name @directives { A B }`.
    case `enum`(EnumTypeDefinition)
    /// `input Name @directives { … }`.
    case inputObject(InputObjectTypeDefinition)

    /// The name of the type.
    public var name: Name {
        switch self {
        case .scalar(let type): type.name
        case .object(let type): type.name
        case .interface(let type): type.name
        case .union(let type): type.name
        case .enum(let type): type.name
        case .inputObject(let type): type.name
        }
    }

    /// The description before the definition.
    public var description: StringValue? {
        switch self {
        case .scalar(let type): type.description
        case .object(let type): type.description
        case .interface(let type): type.description
        case .union(let type): type.description
        case .enum(let type): type.description
        case .inputObject(let type): type.description
        }
    }

    /// The directives, in order.
    public var directives: [Directive] {
        switch self {
        case .scalar(let type): type.directives
        case .object(let type): type.directives
        case .interface(let type): type.directives
        case .union(let type): type.directives
        case .enum(let type): type.directives
        case .inputObject(let type): type.directives
        }
    }

    /// The source bytes of the node.
    public var span: SourceSpan {
        switch self {
        case .scalar(let type): type.span
        case .object(let type): type.span
        case .interface(let type): type.span
        case .union(let type): type.span
        case .enum(let type): type.span
        case .inputObject(let type): type.span
        }
    }
}

/// ScalarTypeDefinition (October 2021 §3.5): `scalar Name @directives`.
public struct ScalarTypeDefinition: Sendable, Hashable {
    /// The description before the definition.
    public var description: StringValue?
    /// The name.
    public var name: Name
    /// The directives, in order.
    public var directives: [Directive]
    /// The source bytes of the node.
    public var span: SourceSpan

    /// Makes a node in code, without parsing.
    public init(
        description: StringValue? = nil, name: Name, directives: [Directive] = [], span: SourceSpan = .none
    ) {
        self.description = description
        self.name = name
        self.directives = directives
        self.span = span
    }
}

/// ObjectTypeDefinition (October 2021 §3.6): `type Name implements A & B @directives { … }`.
public struct ObjectTypeDefinition: Sendable, Hashable {
    /// The description before the definition.
    public var description: StringValue?
    /// The name.
    public var name: Name
    /// The implemented interfaces, in order.
    public var interfaces: [NamedType]
    /// The directives, in order.
    public var directives: [Directive]
    /// The fields, in order.
    public var fields: [FieldDefinition]
    /// The source bytes of the node.
    public var span: SourceSpan

    /// Makes a node in code, without parsing.
    public init(
        description: StringValue? = nil, name: Name, interfaces: [NamedType] = [], directives: [Directive] = [],
        fields: [FieldDefinition] = [], span: SourceSpan = .none
    ) {
        self.description = description
        self.name = name
        self.interfaces = interfaces
        self.directives = directives
        self.fields = fields
        self.span = span
    }
}

/// InterfaceTypeDefinition (October 2021 §3.7): `interface Name implements A @directives { … }`.
public struct InterfaceTypeDefinition: Sendable, Hashable {
    /// The description before the definition.
    public var description: StringValue?
    /// The name.
    public var name: Name
    /// The implemented interfaces, in order.
    public var interfaces: [NamedType]
    /// The directives, in order.
    public var directives: [Directive]
    /// The fields, in order.
    public var fields: [FieldDefinition]
    /// The source bytes of the node.
    public var span: SourceSpan

    /// Makes a node in code, without parsing.
    public init(
        description: StringValue? = nil, name: Name, interfaces: [NamedType] = [], directives: [Directive] = [],
        fields: [FieldDefinition] = [], span: SourceSpan = .none
    ) {
        self.description = description
        self.name = name
        self.interfaces = interfaces
        self.directives = directives
        self.fields = fields
        self.span = span
    }
}

/// UnionTypeDefinition (October 2021 §3.8): `union Name @directives = A | B`.
public struct UnionTypeDefinition: Sendable, Hashable {
    /// The description before the definition.
    public var description: StringValue?
    /// The name.
    public var name: Name
    /// The directives, in order.
    public var directives: [Directive]
    /// The member types, in order.
    public var members: [NamedType]
    /// The source bytes of the node.
    public var span: SourceSpan

    /// Makes a node in code, without parsing.
    public init(
        description: StringValue? = nil, name: Name, directives: [Directive] = [], members: [NamedType] = [],
        span: SourceSpan = .none
    ) {
        self.description = description
        self.name = name
        self.directives = directives
        self.members = members
        self.span = span
    }
}

/// EnumTypeDefinition (October 2021 §3.9): `enum Name @directives { A B }`.
public struct EnumTypeDefinition: Sendable, Hashable {
    /// The description before the definition.
    public var description: StringValue?
    /// The name.
    public var name: Name
    /// The directives, in order.
    public var directives: [Directive]
    /// The values, in order.
    public var values: [EnumValueDefinition]
    /// The source bytes of the node.
    public var span: SourceSpan

    /// Makes a node in code, without parsing.
    public init(
        description: StringValue? = nil, name: Name, directives: [Directive] = [],
        values: [EnumValueDefinition] = [], span: SourceSpan = .none
    ) {
        self.description = description
        self.name = name
        self.directives = directives
        self.values = values
        self.span = span
    }
}

/// InputObjectTypeDefinition (October 2021 §3.10): `input Name @directives { … }`.
public struct InputObjectTypeDefinition: Sendable, Hashable {
    /// The description before the definition.
    public var description: StringValue?
    /// The name.
    public var name: Name
    /// The directives, in order.
    public var directives: [Directive]
    /// The fields, in order.
    public var fields: [InputValueDefinition]
    /// The source bytes of the node.
    public var span: SourceSpan

    /// Makes a node in code, without parsing.
    public init(
        description: StringValue? = nil, name: Name, directives: [Directive] = [],
        fields: [InputValueDefinition] = [], span: SourceSpan = .none
    ) {
        self.description = description
        self.name = name
        self.directives = directives
        self.fields = fields
        self.span = span
    }
}

/// TypeExtension (October 2021 §3.4.3): every one adds something.
public enum TypeExtension: Sendable, Hashable {
    /// `extend scalar Name @directives`.
    case scalar(ScalarTypeExtension)
    /// `extend type Name implements A & B @directives { … }`.
    case object(ObjectTypeExtension)
    /// `extend interface Name implements A @directives { … }`.
    case interface(InterfaceTypeExtension)
    /// `extend union Name @directives = A | B`.
    case union(UnionTypeExtension)
    /// `extend enum Name @directives { A B }`.
    case `enum`(EnumTypeExtension)
    /// `extend input Name @directives { … }`.
    case inputObject(InputObjectTypeExtension)

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

    /// The directives on the type, in order.
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

    /// The bytes it was parsed from.
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

/// ScalarTypeExtension (October 2021 §3.5): `extend scalar Name @directives`.
public struct ScalarTypeExtension: Sendable, Hashable {
    /// Its name.
    public var name: Name
    /// The added directives, in order.
    public var directives: [Directive]
    /// The bytes it was parsed from.
    public var span: SourceSpan

    /// Makes a node by hand.
    public init(name: Name, directives: [Directive] = [], span: SourceSpan = .none) {
        self.name = name
        self.directives = directives
        self.span = span
    }
}

/// ObjectTypeExtension (October 2021 §3.6): `extend type Name implements A & B @directives { … }`.
public struct ObjectTypeExtension: Sendable, Hashable {
    /// Its name.
    public var name: Name
    /// The added interfaces, in order.
    public var interfaces: [NamedType]
    /// The added directives, in order.
    public var directives: [Directive]
    /// The added fields, in order.
    public var fields: [FieldDefinition]
    /// The bytes it was parsed from.
    public var span: SourceSpan

    /// Makes a node by hand.
    public init(
        name: Name, interfaces: [NamedType] = [], directives: [Directive] = [], fields: [FieldDefinition] = [],
        span: SourceSpan = .none
    ) {
        self.name = name
        self.interfaces = interfaces
        self.directives = directives
        self.fields = fields
        self.span = span
    }
}

/// InterfaceTypeExtension (October 2021 §3.7): `extend interface Name implements A @directives { … }`.
public struct InterfaceTypeExtension: Sendable, Hashable {
    /// Its name.
    public var name: Name
    /// The added interfaces, in order.
    public var interfaces: [NamedType]
    /// The added directives, in order.
    public var directives: [Directive]
    /// The added fields, in order.
    public var fields: [FieldDefinition]
    /// The bytes it was parsed from.
    public var span: SourceSpan

    /// Makes a node by hand.
    public init(
        name: Name, interfaces: [NamedType] = [], directives: [Directive] = [], fields: [FieldDefinition] = [],
        span: SourceSpan = .none
    ) {
        self.name = name
        self.interfaces = interfaces
        self.directives = directives
        self.fields = fields
        self.span = span
    }
}

/// UnionTypeExtension (October 2021 §3.8): `extend union Name @directives = A | B`.
public struct UnionTypeExtension: Sendable, Hashable {
    /// Its name.
    public var name: Name
    /// The added directives, in order.
    public var directives: [Directive]
    /// The added member types, in order.
    public var members: [NamedType]
    /// The bytes it was parsed from.
    public var span: SourceSpan

    /// Makes a node by hand.
    public init(name: Name, directives: [Directive] = [], members: [NamedType] = [], span: SourceSpan = .none) {
        self.name = name
        self.directives = directives
        self.members = members
        self.span = span
    }
}

/// EnumTypeExtension (October 2021 §3.9): `extend enum Name @directives { A B }`.
public struct EnumTypeExtension: Sendable, Hashable {
    /// Its name.
    public var name: Name
    /// The added directives, in order.
    public var directives: [Directive]
    /// The added values, in order.
    public var values: [EnumValueDefinition]
    /// The bytes it was parsed from.
    public var span: SourceSpan

    /// Makes a node by hand.
    public init(
        name: Name, directives: [Directive] = [], values: [EnumValueDefinition] = [], span: SourceSpan = .none
    ) {
        self.name = name
        self.directives = directives
        self.values = values
        self.span = span
    }
}

/// InputObjectTypeExtension (October 2021 §3.10): `extend input Name @directives { … }`.
public struct InputObjectTypeExtension: Sendable, Hashable {
    /// Its name.
    public var name: Name
    /// The added directives, in order.
    public var directives: [Directive]
    /// The added fields, in order.
    public var fields: [InputValueDefinition]
    /// The bytes it was parsed from.
    public var span: SourceSpan

    /// Makes a node by hand.
    public init(
        name: Name, directives: [Directive] = [], fields: [InputValueDefinition] = [], span: SourceSpan = .none
    ) {
        self.name = name
        self.directives = directives
        self.fields = fields
        self.span = span
    }
}

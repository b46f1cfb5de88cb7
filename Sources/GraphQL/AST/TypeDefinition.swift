/// TypeDefinition (October 2021 §3.4): the definition of a named type of any kind, or an extension of one.
///
/// A list is empty if the kind of the type has no such parts.
public struct TypeDefinition: Sendable, Hashable {
    /// The kind of a type. The raw value is the keyword of its definition.
    public enum Kind: String, Sendable, Hashable {
        /// A leaf type with arbitrary values (§3.5): `scalar Name @directives`.
        case scalar
        /// Fields with values (§3.6): `type Name implements A & B @directives { … }`.
        case object = "type"
        /// Fields that several object types have (§3.7): `interface Name implements A @directives { … }`.
        case interface
        /// One of several object types (§3.8): `union Name @directives = A | B`.
        case union
        /// A leaf type with a few named values (§3.9): `enum Name @directives { A B }`.
        case `enum`
        /// Fields of an argument (§3.10): `input Name @directives { … }`.
        case inputObject = "input"
    }

    /// The kind of the type.
    public var kind: Kind
    /// The description before the definition.
    public var description: StringValue?
    /// The name of the type.
    public var name: Name
    /// The interfaces that an object or interface type implements, in order.
    public var interfaces: [Name]
    /// The directives, in order.
    public var directives: [Directive]
    /// The fields of an object or interface type, in order.
    public var fields: [FieldDefinition]
    /// The member types of a union, in order.
    public var members: [Name]
    /// The values of an enum, in order.
    public var enumValues: [EnumValueDefinition]
    /// The fields of an input object, in order.
    public var inputFields: [InputValueDefinition]
    /// The source bytes of the node.
    public var span: SourceSpan

    /// Makes a node in code, without parsing.
    public init(
        _ kind: Kind, description: StringValue? = nil, name: Name, interfaces: [Name] = [],
        directives: [Directive] = [], fields: [FieldDefinition] = [], members: [Name] = [],
        enumValues: [EnumValueDefinition] = [], inputFields: [InputValueDefinition] = [], span: SourceSpan = .none
    ) {
        self.kind = kind
        self.description = description
        self.name = name
        self.interfaces = interfaces
        self.directives = directives
        self.fields = fields
        self.members = members
        self.enumValues = enumValues
        self.inputFields = inputFields
        self.span = span
    }
}

extension TypeDefinition {
    /// The names of the types of all fields and arguments.
    package var namedTypes: [String] {
        fields.flatMap { [$0.type] + $0.arguments.map(\.type) }.map(\.innermost.value)
            + inputFields.map(\.type.innermost.value)
    }

    /// This definition with the additions of an extension (§3.4.3); `nil` if the two have different kinds.
    package func extended(by addition: TypeDefinition) -> TypeDefinition? {
        guard kind == addition.kind else { return nil }
        var type = self
        type.interfaces += addition.interfaces
        type.directives += addition.directives
        type.fields += addition.fields
        type.members += addition.members
        type.enumValues += addition.enumValues
        type.inputFields += addition.inputFields
        return type
    }
}

/// A field of an object or interface type (§3.6).
package struct DeclaredField: Sendable {
    /// What it was built from.
    package let definition: FieldDefinition
    /// Its name.
    package let name: String
    /// Its place among the fields of its type.
    package let number: Int
    /// The type of its value.
    package let type: ResolvedType
    /// Its arguments, in order.
    package let arguments: [DeclaredInput]

    /// Its description.
    package var description: String? { definition.description?.value }
    /// The directives on it, in order.
    package var directives: [Directive] { definition.directives }

    /// The argument of that name.
    package func argument(_ name: String) -> DeclaredInput? { arguments.first { $0.name == name } }
}

/// An argument, or a field of an input object type (§3.6.1, §3.10).
package struct DeclaredInput: Sendable {
    /// What it was built from.
    package let definition: InputValueDefinition
    /// Its name.
    package let name: String
    /// The type of its value.
    package let type: ResolvedType

    /// Its description.
    package var description: String? { definition.description?.value }
    /// The directives on it, in order.
    package var directives: [Directive] { definition.directives }
    /// Its value when none is given.
    package var defaultValue: Value? { definition.defaultValue }
    /// Whether a value has to be given.
    package var isRequired: Bool { type.isNonNull && defaultValue == nil }
}

/// A value of an enum type (§3.9).
package struct DeclaredEnumValue: Sendable {
    /// What it was built from.
    package let definition: EnumValueDefinition
    /// Its name.
    package let name: String

    /// Its description.
    package var description: String? { definition.description?.value }
    /// The directives on it, in order.
    package var directives: [Directive] { definition.directives }
}

/// A directive that documents may use (§3.13).
package struct DeclaredDirective: Sendable {
    /// What it was built from.
    package let definition: DirectiveDefinition
    /// Its name, without the `@`.
    package let name: String
    /// Its arguments, in order.
    package let arguments: [DeclaredInput]

    /// Its description.
    package var description: String? { definition.description?.value }
    /// Where it may stand.
    package var locations: [DirectiveLocation] { definition.locations }
    /// Whether it may stand more than once in one place.
    package var isRepeatable: Bool { definition.isRepeatable }
}

extension [Directive] {
    /// Why what these directives stand on is deprecated (§3.13.3); nil if it is not.
    package var deprecationReason: String? {
        guard let directive = first(named: "deprecated") else { return nil }
        guard let reason = directive.arguments["reason"] else { return "No longer supported" }
        return reason.string
    }
}

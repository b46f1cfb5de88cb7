/// A field of an object or interface type (§3.6).
///
/// This type and ``DeclaredInput`` are classes, because each selection of a request has them. Copies of structs would count the
/// references of everything that a definition contains.
package final class DeclaredField: Sendable {
    /// The definition of the field.
    package let definition: FieldDefinition
    /// The name.
    package let name: String
    /// The position of the field in its type.
    package let number: Int
    /// The type of the field's value.
    package let type: ResolvedType
    /// The arguments, in order.
    package let arguments: [DeclaredInput]

    init(
        definition: FieldDefinition, name: String, number: Int, type: ResolvedType, arguments: [DeclaredInput]
    ) {
        (self.definition, self.name, self.number) = (definition, name, number)
        (self.type, self.arguments) = (type, arguments)
    }

    /// The description.
    package var description: String? { definition.description?.value }
    /// The directives, in order.
    package var directives: [Directive] { definition.directives }

    /// The argument with this name.
    package func argument(_ name: String) -> DeclaredInput? { arguments.first { $0.name == name } }
}

/// An argument, or a field of an input object type (§3.6.1, §3.10).
package final class DeclaredInput: Sendable {
    /// The definition of the argument or field.
    package let definition: InputValueDefinition
    /// The name.
    package let name: String
    /// The type of the value.
    package let type: ResolvedType

    init(definition: InputValueDefinition, name: String, type: ResolvedType) {
        (self.definition, self.name, self.type) = (definition, name, type)
    }

    /// The description.
    package var description: String? { definition.description?.value }
    /// The directives, in order.
    package var directives: [Directive] { definition.directives }
    /// The default value.
    package var defaultValue: Value? { definition.defaultValue }
    /// Whether a value is required.
    package var isRequired: Bool { type.isNonNull && defaultValue == nil }
}

/// A directive that documents may use (§3.13).
package struct DeclaredDirective: Sendable {
    /// The definition of the directive.
    package let definition: DirectiveDefinition
    /// The name, without the `@`.
    package let name: String
    /// The arguments, in order.
    package let arguments: [DeclaredInput]

    /// The description.
    package var description: String? { definition.description?.value }
    /// The places where the directive may be.
    package var locations: [DirectiveDefinition.Location] { definition.locations }
    /// Whether one place may have the directive more than once.
    package var isRepeatable: Bool { definition.isRepeatable }
}

extension [Directive] {
    /// The reason for the deprecation (§3.13.3); `nil` if there is no `@deprecated` directive.
    package var deprecationReason: String? {
        guard let directive = first(named: "deprecated") else { return nil }
        guard let reason = directive.arguments["reason"] else { return "No longer supported" }
        return reason.string
    }
}

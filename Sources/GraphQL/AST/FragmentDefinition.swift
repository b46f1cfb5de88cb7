/// FragmentDefinition (October 2021 §2.8): `fragment name on Type @directives { … }`.
///
/// Descriptions are September 2025 syntax.
package struct FragmentDefinition: Sendable, Hashable {
    /// The description before the definition.
    package var description: StringValue?
    /// The name, which is never `on`.
    package var name: Name
    /// The type after `on`.
    package var typeCondition: NamedType
    /// The directives, in order.
    package var directives: [Directive]
    /// The selected fields and fragments.
    package var selectionSet: SelectionSet
    /// The source bytes of the node.
    package var span: SourceSpan

    /// Makes a node in code, without parsing.
    package init(
        description: StringValue? = nil, name: Name, typeCondition: NamedType, directives: [Directive] = [],
        selectionSet: SelectionSet, span: SourceSpan = .none
    ) {
        self.description = description
        self.name = name
        self.typeCondition = typeCondition
        self.directives = directives
        self.selectionSet = selectionSet
        self.span = span
    }
}

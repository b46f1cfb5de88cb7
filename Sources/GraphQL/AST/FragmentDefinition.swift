/// FragmentDefinition (October 2021 §2.8): `fragment name on Type @directives { … }`.
///
/// Descriptions are September 2025 syntax.
public struct FragmentDefinition: Sendable, Hashable {
    /// The description before the definition.
    public var description: StringValue?
    /// The name, which is never `on`.
    public var name: Name
    /// The type after `on`.
    public var typeCondition: NamedType
    /// The directives, in order.
    public var directives: [Directive]
    /// The selected fields and fragments.
    public var selectionSet: SelectionSet
    /// The source bytes of the node.
    public var span: SourceSpan

    /// Makes a node in code, without parsing.
    public init(
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

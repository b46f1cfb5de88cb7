/// FragmentDefinition (October 2021 §2.8): `fragment name on Type @directives { … }`.
///
/// Descriptions are September 2025 syntax.
public struct FragmentDefinition: Sendable, Hashable {
    /// The description in front of it.
    public var description: StringValue?
    /// Its name; never `on`.
    public var name: Name
    /// The type behind `on`.
    public var typeCondition: NamedType
    /// The directives on it, in order.
    public var directives: [Directive]
    /// What it selects.
    public var selectionSet: SelectionSet
    /// The bytes it was parsed from.
    public var span: SourceSpan

    /// Makes a node by hand.
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

/// OperationDefinition (October 2021 §2.3).
///
/// The shorthand `{ … }` is a query without name, variables and directives. Descriptions are September 2025 syntax.
public struct OperationDefinition: Sendable, Hashable {
    /// The description before the definition.
    public var description: StringValue?
    /// Query, mutation or subscription.
    public var operation: OperationType
    /// The name, if it has one.
    public var name: Name?
    /// The variables, in order.
    public var variables: [VariableDefinition] = []
    /// The directives, in order.
    public var directives: [Directive] = []
    /// The fields and fragments selected from the root type.
    public var selectionSet: SelectionSet
    /// The source bytes of the node.
    public var span: SourceSpan = .none
}

/// OperationType (October 2021 §2.3).
public enum OperationType: String, Sendable, Hashable, CaseIterable {
    /// An operation that reads.
    case query
    /// An operation that writes and then reads.
    case mutation
    /// An operation that returns a sequence of responses.
    case subscription

    /// The name of the root type if a document has no schema definition (§3.3.1).
    package var standardTypeName: String {
        switch self {
        case .query: "Query"
        case .mutation: "Mutation"
        case .subscription: "Subscription"
        }
    }
}

/// VariableDefinition (October 2021 §2.10): `$name: Type = default @directives`.
///
/// Descriptions are September 2025 syntax.
public struct VariableDefinition: Sendable, Hashable {
    /// The description before the definition.
    public var description: StringValue?
    /// The variable.
    public var variable: Value.Variable
    /// The type.
    public var type: TypeReference
    /// The default value, which is constant.
    public var defaultValue: Value?
    /// The directives, in order.
    public var directives: [Directive]
    /// The source bytes of the node.
    public var span: SourceSpan
}

/// FragmentDefinition (October 2021 §2.8): `fragment name on Type @directives { … }`.
///
/// Descriptions are September 2025 syntax.
public struct FragmentDefinition: Sendable, Hashable {
    /// The description before the definition.
    public var description: StringValue?
    /// The name, which is never `on`.
    public var name: Name
    /// The type after `on`.
    public var typeCondition: Name
    /// The directives, in order.
    public var directives: [Directive]
    /// The selected fields and fragments.
    public var selectionSet: SelectionSet
    /// The source bytes of the node.
    public var span: SourceSpan
}

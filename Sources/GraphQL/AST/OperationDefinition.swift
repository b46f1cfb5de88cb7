/// OperationType (October 2021 §2.3).
public enum OperationType: String, Sendable, Hashable, CaseIterable {
    /// A read.
    case query
    /// A write, then a read.
    case mutation
    /// A stream of answers.
    case subscription
}

/// OperationDefinition (October 2021 §2.3).
///
/// The shorthand `{ … }` is a query without name, variables and directives. Descriptions are September 2025 syntax.
public struct OperationDefinition: Sendable, Hashable {
    /// The description in front of it.
    public var description: StringValue?
    /// Query, mutation or subscription.
    public var operation: OperationType
    /// The name, if it has one.
    public var name: Name?
    /// The variables, in order.
    public var variables: [VariableDefinition]
    /// The directives on it, in order.
    public var directives: [Directive]
    /// What it selects of the root type.
    public var selectionSet: SelectionSet
    /// The bytes it was parsed from.
    public var span: SourceSpan

    /// Makes a node by hand.
    public init(
        description: StringValue? = nil, operation: OperationType, name: Name? = nil,
        variables: [VariableDefinition] = [], directives: [Directive] = [], selectionSet: SelectionSet,
        span: SourceSpan = .none
    ) {
        self.description = description
        self.operation = operation
        self.name = name
        self.variables = variables
        self.directives = directives
        self.selectionSet = selectionSet
        self.span = span
    }
}

/// VariableDefinition (October 2021 §2.10): `$name: Type = default @directives`.
///
/// Descriptions are September 2025 syntax.
public struct VariableDefinition: Sendable, Hashable {
    /// The description in front of it.
    public var description: StringValue?
    /// The variable.
    public var variable: Variable
    /// Its type.
    public var type: TypeReference
    /// Its value when none is given; constant.
    public var defaultValue: Value?
    /// The directives on it, in order.
    public var directives: [Directive]
    /// The bytes it was parsed from.
    public var span: SourceSpan

    /// Makes a node by hand.
    public init(
        description: StringValue? = nil, variable: Variable, type: TypeReference, defaultValue: Value? = nil,
        directives: [Directive] = [], span: SourceSpan = .none
    ) {
        self.description = description
        self.variable = variable
        self.type = type
        self.defaultValue = defaultValue
        self.directives = directives
        self.span = span
    }
}

/// OperationType (October 2021 §2.3).
package enum OperationType: String, Sendable, Hashable, CaseIterable {
    /// An operation that reads.
    case query
    /// An operation that writes and then reads.
    case mutation
    /// An operation that returns a sequence of responses.
    case subscription
}

/// OperationDefinition (October 2021 §2.3).
///
/// The shorthand `{ … }` is a query without name, variables and directives. Descriptions are September 2025 syntax.
package struct OperationDefinition: Sendable, Hashable {
    /// The description before the definition.
    package var description: StringValue?
    /// Query, mutation or subscription.
    package var operation: OperationType
    /// The name, if it has one.
    package var name: Name?
    /// The variables, in order.
    package var variables: [VariableDefinition]
    /// The directives, in order.
    package var directives: [Directive]
    /// The fields and fragments selected from the root type.
    package var selectionSet: SelectionSet
    /// The source bytes of the node.
    package var span: SourceSpan

    /// Makes a node in code, without parsing.
    package init(
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
package struct VariableDefinition: Sendable, Hashable {
    /// The description before the definition.
    package var description: StringValue?
    /// The variable.
    package var variable: Variable
    /// The type.
    package var type: TypeReference
    /// The default value, which is constant.
    package var defaultValue: Value?
    /// The directives, in order.
    package var directives: [Directive]
    /// The source bytes of the node.
    package var span: SourceSpan

    /// Makes a node in code, without parsing.
    package init(
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

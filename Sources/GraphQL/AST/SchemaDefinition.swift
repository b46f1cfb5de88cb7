/// SchemaDefinition (October 2021 §3.3): `schema @directives { query: Query }`.
package struct SchemaDefinition: Sendable, Hashable {
    /// The description before the definition.
    package var description: StringValue?
    /// The directives, in order.
    package var directives: [Directive]
    /// The root types, in order.
    package var operationTypes: [RootOperationTypeDefinition]
    /// The source bytes of the node.
    package var span: SourceSpan

    /// Makes a node in code, without parsing.
    package init(
        description: StringValue? = nil, directives: [Directive] = [],
        operationTypes: [RootOperationTypeDefinition], span: SourceSpan = .none
    ) {
        self.description = description
        self.directives = directives
        self.operationTypes = operationTypes
        self.span = span
    }
}

/// SchemaExtension (October 2021 §3.3.2): `extend schema …`, with directives, root types or both.
package struct SchemaExtension: Sendable, Hashable {
    /// The directives, in order.
    package var directives: [Directive]
    /// The added root types, in order.
    package var operationTypes: [RootOperationTypeDefinition]
    /// The source bytes of the node.
    package var span: SourceSpan

    /// Makes a node in code, without parsing.
    package init(
        directives: [Directive] = [], operationTypes: [RootOperationTypeDefinition] = [], span: SourceSpan = .none
    ) {
        self.directives = directives
        self.operationTypes = operationTypes
        self.span = span
    }
}

/// RootOperationTypeDefinition (October 2021 §3.3): `query: Type`.
package struct RootOperationTypeDefinition: Sendable, Hashable {
    /// The kind of operation.
    package var operation: OperationType
    /// The root type of the operation.
    package var type: NamedType
    /// The source bytes of the node.
    package var span: SourceSpan

    /// Makes a node in code, without parsing.
    package init(operation: OperationType, type: NamedType, span: SourceSpan = .none) {
        self.operation = operation
        self.type = type
        self.span = span
    }
}

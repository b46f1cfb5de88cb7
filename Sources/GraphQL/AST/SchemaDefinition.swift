/// SchemaDefinition (October 2021 §3.3): `schema @directives { query: Query }`.
public struct SchemaDefinition: Sendable, Hashable {
    /// The description before the definition.
    public var description: StringValue?
    /// The directives, in order.
    public var directives: [Directive]
    /// The root types, in order.
    public var operationTypes: [RootOperationTypeDefinition]
    /// The source bytes of the node.
    public var span: SourceSpan

    /// Makes a node in code, without parsing.
    public init(
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
public struct SchemaExtension: Sendable, Hashable {
    /// The directives, in order.
    public var directives: [Directive]
    /// The added root types, in order.
    public var operationTypes: [RootOperationTypeDefinition]
    /// The source bytes of the node.
    public var span: SourceSpan

    /// Makes a node in code, without parsing.
    public init(
        directives: [Directive] = [], operationTypes: [RootOperationTypeDefinition] = [], span: SourceSpan = .none
    ) {
        self.directives = directives
        self.operationTypes = operationTypes
        self.span = span
    }
}

/// RootOperationTypeDefinition (October 2021 §3.3): `query: Type`.
public struct RootOperationTypeDefinition: Sendable, Hashable {
    /// The kind of operation.
    public var operation: OperationType
    /// The root type of the operation.
    public var type: NamedType
    /// The source bytes of the node.
    public var span: SourceSpan

    /// Makes a node in code, without parsing.
    public init(operation: OperationType, type: NamedType, span: SourceSpan = .none) {
        self.operation = operation
        self.type = type
        self.span = span
    }
}

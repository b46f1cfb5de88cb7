/// SchemaDefinition (October 2021 §3.3): `schema @directives { query: Query }`, or an extension of the schema (§3.3.2), which
/// has no description.
public struct SchemaDefinition: Sendable, Hashable {
    /// The description before the definition.
    public var description: StringValue?
    /// The directives, in order.
    public var directives: [Directive]
    /// The root types, in order.
    public var operationTypes: [RootType]
    /// The source bytes of the node.
    public var span: SourceSpan

    /// Makes a node in code, without parsing.
    public init(
        description: StringValue? = nil, directives: [Directive] = [],
        operationTypes: [RootType], span: SourceSpan = .none
    ) {
        self.description = description
        self.directives = directives
        self.operationTypes = operationTypes
        self.span = span
    }

    /// RootOperationTypeDefinition (October 2021 §3.3): `query: Type`.
    public struct RootType: Sendable, Hashable {
        /// The kind of operation.
        public var operation: OperationType
        /// The root type of the operation.
        public var type: Name
        /// The source bytes of the node.
        public var span: SourceSpan

        /// Makes a node in code, without parsing.
        public init(operation: OperationType, type: Name, span: SourceSpan = .none) {
            self.operation = operation
            self.type = type
            self.span = span
        }
    }
}

/// Document (October 2021 §2.2): at least one definition.
public struct Document: Sendable, Hashable {
    /// The definitions, in order.
    public var definitions: [Definition]
    /// The source bytes of the node.
    public var span: SourceSpan

    /// Makes a node in code, without parsing.
    public init(definitions: [Definition], span: SourceSpan = .none) {
        self.definitions = definitions
        self.span = span
    }

    /// Definition (October 2021 §2.2): an executable definition, a type system definition, or an extension of the type system.
    public enum Definition: Sendable, Hashable {
        /// A query, mutation or subscription.
        case operation(OperationDefinition)
        /// A named fragment.
        case fragment(FragmentDefinition)
        /// The schema definition, which names the root types.
        case schema(SchemaDefinition)
        /// A named type.
        case type(TypeDefinition)
        /// A directive.
        case directive(DirectiveDefinition)
        /// An extension of the schema (SchemaExtension, §3.3.2), represented by a schema definition without a description.
        case schemaExtension(SchemaDefinition)
        /// An extension of a type (TypeExtension, §3.4.3), represented by a type definition without a description.
        case typeExtension(TypeDefinition)

        /// The source bytes of the definition, including its description.
        public var span: SourceSpan {
            switch self {
            case .operation(let definition): definition.span
            case .fragment(let definition): definition.span
            case .schema(let definition): definition.span
            case .type(let definition): definition.span
            case .directive(let definition): definition.span
            case .schemaExtension(let definition): definition.span
            case .typeExtension(let definition): definition.span
            }
        }

        /// Whether the definition is an ExecutableDefinition: an operation or a fragment.
        public var isExecutable: Bool {
            switch self {
            case .operation, .fragment: true
            default: false
            }
        }
    }

    /// The operations, in order.
    public var operations: [OperationDefinition] {
        definitions.compactMap { if case .operation(let definition) = $0 { definition } else { nil } }
    }

    /// The fragments, in order.
    public var fragments: [FragmentDefinition] {
        definitions.compactMap { if case .fragment(let definition) = $0 { definition } else { nil } }
    }

    /// The schema definitions, in order. A valid document has at most one.
    public var schemaDefinitions: [SchemaDefinition] {
        definitions.compactMap { if case .schema(let definition) = $0 { definition } else { nil } }
    }

    /// The type definitions, in order.
    public var typeDefinitions: [TypeDefinition] {
        definitions.compactMap { if case .type(let definition) = $0 { definition } else { nil } }
    }

    /// The directive definitions, in order.
    public var directiveDefinitions: [DirectiveDefinition] {
        definitions.compactMap { if case .directive(let definition) = $0 { definition } else { nil } }
    }

    /// The schema extensions, in order.
    public var schemaExtensions: [SchemaDefinition] {
        definitions.compactMap { if case .schemaExtension(let definition) = $0 { definition } else { nil } }
    }

    /// The type extensions, in order.
    public var typeExtensions: [TypeDefinition] {
        definitions.compactMap { if case .typeExtension(let definition) = $0 { definition } else { nil } }
    }
}

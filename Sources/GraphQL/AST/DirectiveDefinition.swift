/// DirectiveDefinition (October 2021 §3.13): `directive @name(arguments) repeatable on A | B`.
public struct DirectiveDefinition: Sendable, Hashable {
    /// The description before the definition.
    public var description: StringValue?
    /// The name after the `@`.
    public var name: Name
    /// The arguments, in order.
    public var arguments: [InputValueDefinition]
    /// Whether one place may have the directive more than once.
    public var isRepeatable: Bool
    /// The places where the directive may be, in order.
    public var locations: [Location]
    /// The source bytes of the node.
    public var span: SourceSpan

    /// Makes a node in code, without parsing.
    public init(
        description: StringValue? = nil, name: Name, arguments: [InputValueDefinition] = [],
        isRepeatable: Bool = false, locations: [Location], span: SourceSpan = .none
    ) {
        self.description = description
        self.name = name
        self.arguments = arguments
        self.isRepeatable = isRepeatable
        self.locations = locations
        self.span = span
    }

    /// DirectiveLocation (October 2021 §3.13): a place where a directive may be.
    public enum Location: String, Sendable, Hashable, CaseIterable {
        /// On a query.
        case query = "QUERY"
        /// On a mutation.
        case mutation = "MUTATION"
        /// On a subscription.
        case subscription = "SUBSCRIPTION"
        /// On a field of a selection set.
        case field = "FIELD"
        /// On a fragment definition.
        case fragmentDefinition = "FRAGMENT_DEFINITION"
        /// On a fragment spread.
        case fragmentSpread = "FRAGMENT_SPREAD"
        /// On an inline fragment.
        case inlineFragment = "INLINE_FRAGMENT"
        /// On a variable definition.
        case variableDefinition = "VARIABLE_DEFINITION"
        /// On a schema.
        case schema = "SCHEMA"
        /// On a scalar type.
        case scalar = "SCALAR"
        /// On an object type.
        case object = "OBJECT"
        /// On a field definition.
        case fieldDefinition = "FIELD_DEFINITION"
        /// On an argument definition.
        case argumentDefinition = "ARGUMENT_DEFINITION"
        /// On an interface type.
        case interface = "INTERFACE"
        /// On a union type.
        case union = "UNION"
        /// On an enum type.
        case `enum` = "ENUM"
        /// On an enum value.
        case enumValue = "ENUM_VALUE"
        /// On an input object type.
        case inputObject = "INPUT_OBJECT"
        /// On a field of an input object type.
        case inputFieldDefinition = "INPUT_FIELD_DEFINITION"

        /// Whether the location is an ExecutableDirectiveLocation. Otherwise it is a TypeSystemDirectiveLocation.
        public var isExecutable: Bool {
            switch self {
            case .query, .mutation, .subscription, .field, .fragmentDefinition, .fragmentSpread, .inlineFragment,
                .variableDefinition:
                true
            default: false
            }
        }
    }
}

/// The built-in definitions of every type system: scalars, directives and the types of introspection (§3.5, §3.13, §4).
enum BuiltIn {
    /// The built-in definitions as a document. Only the scalars that are used become types.
    static func document() throws(GraphQLSyntaxError) -> Document {
        try Document(parsing: scalars + directives + introspection)
    }

    /// The name of an internal type whose fields can be selected without being declared. It is not a type of the type system.
    static let metaFieldsName = "__MetaFields"

    private static let scalars = """
        "Whole numbers."
        scalar Int
        "Numbers of double precision."
        scalar Float
        "Text."
        scalar String
        "`true` or `false`."
        scalar Boolean
        "A key that is unique among the objects of a type. Written as text; a whole number is taken too."
        scalar ID

        """

    private static let directives = """
        "Selects only if the argument is true."
        directive @include("Whether to select." if: Boolean!) on FIELD | FRAGMENT_SPREAD | INLINE_FRAGMENT
        "Selects only if the argument is false."
        directive @skip("Whether to leave out." if: Boolean!) on FIELD | FRAGMENT_SPREAD | INLINE_FRAGMENT
        "Marks what should no longer be used."
        directive @deprecated(
          "Why, and what to use instead; Markdown."
          reason: String = "No longer supported"
        ) on FIELD_DEFINITION | ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION | ENUM_VALUE
        "Says where the behaviour of a scalar type is described."
        directive @specifiedBy("The address of the description." url: String!) on SCALAR
        "Takes exactly one of the fields of an input object."
        directive @oneOf on INPUT_OBJECT

        """

    private static let introspection = """
        "The types and directives of a service."
        type __Schema {
          description: String
          "All types."
          types: [__Type!]!
          "The type that queries start from."
          queryType: __Type!
          "The type that mutations start from, if there are any."
          mutationType: __Type
          "The type that subscriptions start from, if there are any."
          subscriptionType: __Type
          "All directives."
          directives: [__Directive!]!
        }
        "A type; which fields have a value depends on its kind."
        type __Type {
          kind: __TypeKind!
          name: String
          description: String
          specifiedByURL: String
          fields(includeDeprecated: Boolean = false): [__Field!]
          interfaces: [__Type!]
          possibleTypes: [__Type!]
          enumValues(includeDeprecated: Boolean = false): [__EnumValue!]
          inputFields(includeDeprecated: Boolean = false): [__InputValue!]
          ofType: __Type
          isOneOf: Boolean
        }
        "The kind of a type."
        enum __TypeKind { SCALAR OBJECT INTERFACE UNION ENUM INPUT_OBJECT LIST NON_NULL }
        "A field of an object or interface type."
        type __Field {
          name: String!
          description: String
          args(includeDeprecated: Boolean = false): [__InputValue!]!
          type: __Type!
          isDeprecated: Boolean!
          deprecationReason: String
        }
        "An argument, or a field of an input object type."
        type __InputValue {
          name: String!
          description: String
          type: __Type!
          "The value when none is given, as a literal."
          defaultValue: String
          isDeprecated: Boolean!
          deprecationReason: String
        }
        "A value of an enum type."
        type __EnumValue {
          name: String!
          description: String
          isDeprecated: Boolean!
          deprecationReason: String
        }
        "A directive that documents may use."
        type __Directive {
          name: String!
          description: String
          isRepeatable: Boolean!
          locations: [__DirectiveLocation!]!
          args(includeDeprecated: Boolean = false): [__InputValue!]!
        }
        "Where a directive may stand."
        enum __DirectiveLocation {
          \(DirectiveDefinition.Location.allCases.map(\.rawValue).joined(separator: " "))
        }
        type __MetaFields {
          __typename: String!
          __schema: __Schema!
          __type(name: String!): __Type
        }
        """
}

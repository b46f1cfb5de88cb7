@testable import TidelogGraphQL
@testable import TidelogGraphQLExecution

/// The introspection query with which tools read the whole type system of a service.
enum Introspection {
    static let query = """
        query {
          __schema {
            description
            queryType { name kind } mutationType { name kind } subscriptionType { name kind }
            types { ...Type }
            directives { name description isRepeatable locations args(includeDeprecated: true) { ...Input } }
          }
        }
        fragment Type on __Type {
          kind name description specifiedByURL isOneOf
          fields(includeDeprecated: true) {
            name description args(includeDeprecated: true) { ...Input } type { ...Reference }
            isDeprecated deprecationReason
          }
          inputFields(includeDeprecated: true) { ...Input }
          interfaces { ...Reference }
          enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
          possibleTypes { ...Reference }
        }
        fragment Input on __InputValue {
          name description type { ...Reference } defaultValue isDeprecated deprecationReason
        }
        fragment Reference on __Type {
          kind name
          ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType {
            kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } }
          } } } } }
        }
        """

    /// The root object. It has no values, because introspection does not read any.
    struct Nothing: ResolvableObject {
        final class Context: Sendable {}
        let typeName = ""

        func resolve(_ field: SelectedField, in context: Context) throws(ResolverError) -> ResolvedValue<Context> {
            .null
        }
    }

    static func answer(of typeSystem: TypeSystem, to query: String = query) async throws -> ResponseValue {
        let document = try RequestDocument(parsing: query)
        let errors = document.validate(against: typeSystem)
        guard errors.isEmpty else { throw RequestErrors(errors: errors) }
        let operation = try ExecutableOperation(document, typeSystem: typeSystem)
        return try await operation.execute(over: Nothing(), in: Nothing.Context()).data
    }
}

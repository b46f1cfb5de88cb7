package import TidelogCore
package import TidelogGraphQL
package import TidelogSDL

/// The API that a schema gets, as Amplify's transformer (version 2) makes it with conflict detection on.
package struct API: Sendable {
    /// What the schema declares.
    package let schema: Schema
    /// The types of the API, with the scalars and directives that they name, as one document.
    package let document: Document
    /// What a service has to know of each model, by the model's name.
    package let models: [String: ModelAPI]
    /// The fields of Query, by name.
    package let queries: [String: RootField]
    /// The fields of Mutation, by name.
    package let mutations: [String: RootField]
    /// The fields of Subscription, by name.
    package let subscriptions: [String: RootField]
    /// What the schema asks for and this server does not do; the API is without it.
    package let notServed: [SchemaDiagnostic]

    /// The API in the schema language.
    package var sdl: String { document.printed() }

    /// The API of what `document` declares.
    ///
    /// - Throws: ``SchemaDiagnostic`` where names clash or a rule makes no sense.
    package init(_ document: SchemaDocument) throws(SchemaDiagnostic) {
        var builder = APIBuilder(document)
        self = try builder.api()
    }

    init(
        schema: Schema, document: Document, models: [String: ModelAPI], rootFields: [OperationType: [RootField]],
        notServed: [SchemaDiagnostic]
    ) {
        let byName = { (fields: [RootField]?) in
            Dictionary((fields ?? []).map { ($0.name, $0) }) { first, _ in first }
        }
        self.schema = schema
        self.document = document
        self.models = models
        queries = byName(rootFields[.query])
        mutations = byName(rootFields[.mutation])
        subscriptions = byName(rootFields[.subscription])
        self.notServed = notServed
    }
}

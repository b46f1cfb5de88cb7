internal import TidelogAgreement
package import TidelogCore
package import TidelogGraphQLExecution
package import TidelogSDL

/// The API of a schema, equal to what Amplify's transformer (version 2) makes. Its kind says whether conflict detection is on.
package struct API: Sendable {
    /// The kind of the API.
    package let kind: APIKind
    /// The schema of the models. Its indexes have the names of the queries by index.
    package let schema: Schema
    /// The types of the API as one document, with the scalars and directives that the types name.
    package let document: Document
    /// The descriptions of the models for a service, by the model's name.
    package let models: [String: ModelAPI]
    /// The fields of Query, by name.
    package let queries: [String: RootField]
    /// The fields of Mutation, by name.
    package let mutations: [String: RootField]
    /// The fields of Subscription, by name.
    package let subscriptions: [String: RootField]
    /// The parts of the schema that this server does not support. The API leaves them out.
    package let notServed: [SchemaDiagnostic]

    /// The API in the schema language.
    package var sdl: String { document.printed() }

    /// Makes the API of a schema document.
    ///
    /// - Throws: ``SchemaDiagnostic`` where names clash or an access rule makes no sense.
    package init(_ document: SchemaDocument, _ kind: APIKind = .versioned) throws(SchemaDiagnostic) {
        var builder = APIBuilder(document, kind)
        self = try builder.api()
    }

    /// The kind of change and the model of the mutation `name`; `nil` if there is no such mutation.
    func mutation(named name: String) -> (kind: Mutation, model: String)? {
        guard let root = mutations[name], case .mutation(let kind) = root.kind else { return nil }
        return (kind, root.model)
    }

    init(
        kind: APIKind, schema: Schema, document: Document, models: [String: ModelAPI],
        rootFields: [OperationType: [RootField]], notServed: [SchemaDiagnostic]
    ) {
        let byName = { (fields: [RootField]?) in
            Dictionary((fields ?? []).map { ($0.name, $0) }) { first, _ in first }
        }
        self.kind = kind
        self.schema = schema
        self.document = document
        self.models = models
        queries = byName(rootFields[.query])
        mutations = byName(rootFields[.mutation])
        subscriptions = byName(rootFields[.subscription])
        self.notServed = notServed
    }
}

extension API {
    /// The name of the index on the time of the last change. The service finds changed records by this index.
    package static let changeIndex = "_byLastChangedAt"

    /// The schema of the store in which a server keeps the records of this API.
    ///
    /// The stored schema has everything that the schema declares and implies, the owner fields that access rules imply, and
    /// three metadata fields per model. It is the same for both kinds of APIs.
    ///
    /// No stored field is read-only, because a server decides what is stored. The stored schema has no one-to-one relations:
    /// Core would check them against tombstones. A service follows such relations by ``ModelAPI/relations`` instead.
    package var storedSchema: Schema {
        var stored = schema
        for index in stored.models.indices {
            let model = stored.models[index]
            let implied = models[model.name]?.impliedOwnerFields ?? []
            stored.models[index].fields.removeAll { Metadata.names.contains($0.name) }
            stored.models[index].fields += implied.map { FieldSchema($0, .string) } + Metadata.fields
            for field in stored.models[index].fields.indices { stored.models[index].fields[field].isReadOnly = false }
            stored.models[index].indexes.append(
                IndexSchema(name: Self.changeIndex, fields: [Metadata.lastChangedAt]))
            stored.models[index].associations.removeAll { $0.kind == .hasOne }
        }
        return stored
    }

    /// The schema of whole records that an operator imports: the stored schema without the metadata, which the store sets.
    package var importedSchema: Schema {
        var imported = storedSchema
        for index in imported.models.indices {
            imported.models[index].fields.removeAll { Metadata.names.contains($0.name) }
            imported.models[index].indexes.removeAll { $0.name == Self.changeIndex }
        }
        return imported
    }
}

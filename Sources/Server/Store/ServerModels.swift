package import TidelogCore

/// The models that the server itself keeps in the store, in addition to the models of the API.
package enum ServerModels {
    /// Facts by name: the source of the schema, the ceiling of the time, and secrets.
    static let fact = "TidelogServerFact"
    /// The names of written changes, so that the changes are not repeated.
    static let answer = "TidelogServerAnswer"

    /// The names that no type of a schema may have.
    package static let names: Set<String> = [fact, answer]

    /// The schemas of the server's own models.
    static let schemas = [
        ModelSchema(
            name: fact,
            fields: [
                FieldSchema("id", .id, isRequired: true), FieldSchema("text", .string), FieldSchema("number", .int),
                FieldSchema("bytes", .list(.int, elementIsRequired: true)),
            ]),
        ModelSchema(
            name: answer,
            fields: [
                FieldSchema("id", .id, isRequired: true), FieldSchema("model", .string, isRequired: true),
                FieldSchema("subject", .string), FieldSchema("key", .list(.string, elementIsRequired: true)),
                FieldSchema("at", .int, isRequired: true), FieldSchema("content", .string),
            ],
            indexes: [IndexSchema(name: "byTime", fields: ["at"])]),
    ]

    /// `schema` with the server's own models. `schema` contains the models of the API with their metadata.
    package static func adding(to schema: Schema) -> Schema {
        var schema = schema
        schema.models += schemas
        return schema
    }

    /// The schema document with which `store` was last served; `nil` if no server has used the store.
    package static func source(in store: DataStore) async throws -> String? {
        guard case .string(let text)? = try await store.record(fact, id: "source")?["text"] else { return nil }
        return text
    }

    /// Whether `schema` is the schema of a server's store.
    package static func areIn(_ schema: Schema) -> Bool { schema.model(named: fact) != nil }
}

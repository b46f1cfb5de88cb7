package import TidelogCore

/// What the server keeps for itself in the store, beside the models of the API.
package enum ServerModels {
    /// Facts by name: the source of the schema, and how far the clock was ever told to be.
    static let fact = "TidelogServerFact"
    /// The names of changes that were written, so that they are not repeated.
    static let answer = "TidelogServerAnswer"

    /// The names that no type of a schema may have.
    package static let names: Set<String> = [fact, answer]

    /// The models.
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
                FieldSchema("at", .int, isRequired: true),
            ],
            indexes: [IndexSchema(name: "byTime", fields: ["at"])]),
    ]

    /// `schema`, which has the models of the API with their metadata, and what the server keeps.
    package static func adding(to schema: Schema) -> Schema {
        var schema = schema
        schema.models += schemas
        return schema
    }

    /// The document of the schema that `store` was served with last; `nil` if it never was.
    package static func source(in store: DataStore) async throws -> String? {
        guard case .string(let text)? = try await store.record(fact, id: "source")?["text"] else { return nil }
        return text
    }

    /// Whether `schema` is that of a server's store.
    package static func areIn(_ schema: Schema) -> Bool { schema.model(named: fact) != nil }
}

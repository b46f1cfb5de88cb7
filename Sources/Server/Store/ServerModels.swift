package import TidelogCore

/// The models that the server itself keeps in the store, in addition to the models of the API.
package enum ServerModels {
    /// Facts by name: the source of the schema, the kind of the API, the ceiling of the time, and secrets.
    static let fact = "TidelogServerFact"
    /// The names of written changes, so that the changes are not repeated.
    package static let answer = "TidelogServerAnswer"

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
    package static func source(in store: DataStore) async throws -> String? { try await text("source", in: store) }

    /// Checks that `store` was never served with the other kind of API, whose records it would show wrongly.
    ///
    /// - Throws: ``DataStoreError``: `configurationMismatch` if it was, or if a copy to the store is not complete.
    package static func require(_ kind: APIKind, in store: DataStore) async throws {
        guard try await text(ServedFacts.copy, in: store) == nil else { throw ServedFacts.isUnfinished }
        try kind.requireServed(before: try await text("api", in: store), isUsed: try await source(in: store) != nil)
    }

    /// Notes that `store` is served with the document `source` and with an API of this kind.
    static func note(_ source: String, _ kind: APIKind, in store: DataStore) async throws {
        let facts = [("source", source), ("api", kind.rawValue)]
        var isNoted = true
        for (id, value) in facts where try await text(id, in: store) != value { isNoted = false }
        guard !isNoted else { return }
        _ = try await store.writeReturning { transaction in
            for (id, value) in facts {
                try transaction.save(Record(model: fact, values: ["id": .string(id), "text": .string(value)]))
            }
        }
    }

    /// The text of a fact; `nil` if it is not known.
    private static func text(_ name: String, in store: DataStore) async throws -> String? {
        guard case .string(let text)? = try await store.record(fact, id: RecordID(name))?["text"] else { return nil }
        return text
    }

    /// Whether `schema` is the schema of a server's store.
    package static func areIn(_ schema: Schema) -> Bool { schema.model(named: fact) != nil }
}

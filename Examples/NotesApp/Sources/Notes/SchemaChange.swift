import Tidelog

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The code that docs/SCHEMA-CHANGES.md shows. It is the same app, two versions later.
public enum SchemaChange {
    static let migrations: [SchemaMigration] = [
        // Version 2 gives a field a better name. Nothing is rewritten.
        .rename(field: "title", of: "Note", to: "headline"),
        // In version 3, the rating is a number and no longer a text, and notes have a slug.
        .transform("Note", named: "ratings are numbers") { old, new in
            if case .string(let text)? = old["rating"] { new["rating"] = Int64(text).map { .int($0) } }
            if case .string(let headline)? = old["headline"] { new["slug"] = .string(headline.lowercased()) }
        },
    ]

    private static func schema(_ fields: [FieldSchema]) -> Schema {
        Schema(models: [ModelSchema(name: "Note", fields: [FieldSchema("id", .id, isRequired: true)] + fields)])
    }

    /// Makes a store with the first schema, and opens it with the third. Returns the values that a note then has.
    public static func run(at directory: URL) async throws -> [String] {
        let first = schema([FieldSchema("title", .string, isRequired: true), FieldSchema("rating", .string)])
        let old = try await DataStore.open(at: directory, schema: first, adapter: .lmdb())
        try await old.write { transaction in
            try transaction.save(Record(model: "Note", values: ["id": "1", "title": "Tides", "rating": "5"]))
        }
        try await old.close()

        let schema = schema([
            FieldSchema("headline", .string, isRequired: true), FieldSchema("rating", .int),
            FieldSchema("slug", .string, isRequired: true),
        ])
        let store = try await DataStore.open(
            at: directory, schema: schema, adapter: .lmdb(),
            configuration: DataStoreConfiguration(
                migrationProgress: { print("\($0.phase) \($0.model): \($0.completedCount) of \($0.recordCount)") }),
            migrations: migrations)
        let note = try await store.fetch(Record.all(of: "Note")).first
        try await store.close()
        return note.map { note in note.values.sorted { $0.key < $1.key }.map { "\($0): \($1)" } } ?? []
    }
}

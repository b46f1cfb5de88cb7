/// One step from an earlier schema of an app to a later one, if the schemas alone do not say what becomes of the data.
///
/// An app lists every migration that it ever had, the oldest first, and gives the list to each opening:
///
/// ```swift
/// let store = try await DataStore.open(
///     at: directory, schema: .app, adapter: .lmdb(),
///     migrations: [
///         .rename(field: "title", of: "Post", to: "headline"),
///         .transform("Post") { old, new in new["rating"] = .int(Int64(old["stars"]?.string ?? "") ?? 0) },
///     ])
/// ```
///
/// A store takes each at most once, and remembers its name. One that a store has no use for, because it was created with
/// a later schema, counts as taken. Changes that lose nothing (a new model, index, enum case, optional field, or required
/// field with a default) take no migration.
public struct SchemaMigration: Sendable {
    /// What a store remembers the migration by; unique among an app's migrations and never changed.
    public let name: String
    let step: Step

    /// Writes into `new`, which begins as a copy of `old`, what the record is to be.
    public typealias Transformation = @Sendable (_ old: Record, _ new: inout Record) throws -> Void

    enum Step: Sendable {
        case renameField(String, model: String, to: String)
        case renameModel(String, to: String)
        case transform(String, Transformation)
    }

    /// The field `field` of the model `model` is called `name` from now on. No data is written.
    ///
    /// - Parameter migration: What the migration is called; needed where the same renaming comes twice.
    public static func rename(
        field: String, of model: String, to name: String, named migration: String? = nil
    ) -> SchemaMigration {
        SchemaMigration(
            name: migration ?? "rename \(model).\(field) to \(name)",
            step: .renameField(field, model: model, to: name))
    }

    /// The model `model` is called `name` from now on. No data is written.
    ///
    /// - Parameter migration: What the migration is called; needed where the same renaming comes twice.
    public static func rename(model: String, to name: String, named migration: String? = nil) -> SchemaMigration {
        SchemaMigration(
            name: migration ?? "rename \(model) to \(name)", step: .renameModel(model, to: name))
    }

    /// Every record of the model called `model` (at that point of the list) is rewritten, as `body` says: for a field
    /// of another type, for a new required field without a default, or for a required field that goes.
    ///
    /// `body` is called twice for each record: first to see that every record has a valid result, before anything is
    /// written, then to write. It must give the same result for the same record, keep its primary key, and use nothing
    /// of the store that is being opened.
    ///
    /// - Parameter migration: What the migration is called; needed where a model has more than one.
    public static func transform(
        _ model: String, named migration: String? = nil, _ body: @escaping Transformation
    ) -> SchemaMigration {
        SchemaMigration(name: migration ?? "transform \(model)", step: .transform(model, body))
    }
}

/// How far a migration has come in rewriting the records of a model.
public struct MigrationProgress: Sendable, Hashable {
    /// What is being done.
    public enum Phase: String, Sendable, Hashable {
        /// Every record's result is looked at; nothing is written yet.
        case checking
        /// Results are appended to the log.
        case writing
    }

    /// What is being done.
    public let phase: Phase
    /// The name that the model has after the migration.
    public let model: String
    /// How many of its records are done.
    public let completedCount: Int
    /// How many records it has.
    public let recordCount: Int
}

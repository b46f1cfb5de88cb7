/// A migration: a step from an earlier schema of an app to a later one that also changes the names or the values of data.
///
/// An app lists all migrations that it ever had, the oldest first, and passes the list each time it opens the store:
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
/// A store applies each migration at most once, and remembers its name. If a migration does not apply to a store, because the
/// store was created with a later schema, it counts as applied. Changes that lose no data need no migration: a new model,
/// index, enum case, optional field, or required field with a default.
public struct SchemaMigration: Sendable {
    /// The name under which a store remembers the migration. It is unique among the app's migrations and must never change.
    public let name: String
    let step: Step

    /// A function that changes `new`, which begins as a copy of `old`, to the transformed record.
    public typealias Transformation = @Sendable (_ old: Record, _ new: inout Record) throws -> Void

    enum Step: Sendable {
        case renameField(String, model: String, to: String, replacesUnused: Bool)
        case renameModel(String, to: String, replacesUnused: Bool)
        case transform(String, Transformation)
    }

    /// Renames the field `field` of the model `model` to `name`. No data is written.
    ///
    /// - Parameter migration: The migration's name. It is required if the same renaming appears twice.
    public static func rename(
        field: String, of model: String, to name: String, named migration: String? = nil
    ) -> SchemaMigration {
        rename(field: field, of: model, to: name, named: migration, replacesUnused: false)
    }

    /// - Parameter replacesUnused: Whether a field `name` that exists already is replaced. No record may have a value in it.
    package static func rename(
        field: String, of model: String, to name: String, named migration: String?, replacesUnused: Bool
    ) -> SchemaMigration {
        SchemaMigration(
            name: migration ?? "rename \(model).\(field) to \(name)",
            step: .renameField(field, model: model, to: name, replacesUnused: replacesUnused))
    }

    /// Renames the model `model` to `name`. No data is written.
    ///
    /// - Parameter migration: The migration's name. It is required if the same renaming appears twice.
    public static func rename(model: String, to name: String, named migration: String? = nil) -> SchemaMigration {
        rename(model: model, to: name, named: migration, replacesUnused: false)
    }

    /// - Parameter replacesUnused: Whether a model `name` that exists already is replaced. There may be no records of it.
    package static func rename(
        model: String, to name: String, named migration: String?, replacesUnused: Bool
    ) -> SchemaMigration {
        SchemaMigration(
            name: migration ?? "rename \(model) to \(name)",
            step: .renameModel(model, to: name, replacesUnused: replacesUnused))
    }

    /// Rewrites every record of the model `model` with `body`. `model` is the name at that point of the list.
    ///
    /// Use it for a field with a new type, for a new required field without a default, or for the removal of a required field.
    ///
    /// `body` is called twice for each record: first to check that every record has a valid result before anything is written,
    /// and then to write. It must return the same result for the same record, must keep the primary key, and must not use the
    /// store that is being opened.
    ///
    /// - Parameter migration: The migration's name. It is required if a model has more than one transformation.
    public static func transform(
        _ model: String, named migration: String? = nil, _ body: @escaping Transformation
    ) -> SchemaMigration {
        SchemaMigration(name: migration ?? "transform \(model)", step: .transform(model, body))
    }
}

/// The progress of a migration that rewrites the records of a model.
public struct MigrationProgress: Sendable, Hashable {
    /// The phases of a migration.
    public enum Phase: String, Sendable, Hashable {
        /// The results of all records are checked. Nothing is written yet.
        case checking
        /// The results are appended to the log.
        case writing
    }

    /// The current phase.
    public let phase: Phase
    /// The name of the model after the migration.
    public let model: String
    /// The number of records of the model that are done.
    public let completedCount: Int
    /// The number of records of the model.
    public let recordCount: Int
}

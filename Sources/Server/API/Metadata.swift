internal import TidelogCore

/// The fields that a server with conflict detection adds to every model.
enum Metadata {
    static let version = "_version"
    static let deleted = "_deleted"
    static let lastChangedAt = "_lastChangedAt"

    static let names = [version, deleted, lastChangedAt]

    static let fields = [
        FieldSchema(version, .int, isRequired: true), FieldSchema(deleted, .bool),
        FieldSchema(lastChangedAt, .timestamp, isRequired: true),
    ]
}

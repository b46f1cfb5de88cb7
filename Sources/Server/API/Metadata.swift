package import TidelogCore

/// The fields that a server with conflict detection adds to every model. The store alone sets them.
package enum Metadata {
    /// How often the record was changed: 1 at first.
    package static let version = "_version"
    /// Whether the record was deleted; absent if it was not.
    package static let deleted = "_deleted"
    /// When it was changed last, in milliseconds since 1970-01-01T00:00:00Z. It never falls from one change to the next.
    package static let lastChangedAt = "_lastChangedAt"

    static let names = [version, deleted, lastChangedAt]

    package static let fields = [
        FieldSchema(version, .int, isRequired: true), FieldSchema(deleted, .bool),
        FieldSchema(lastChangedAt, .timestamp, isRequired: true),
    ]
}

extension Record {
    /// How often the record was changed; 0 if no server has stored it.
    package var version: Int64 { integer(Metadata.version) }

    /// When it was changed last, in milliseconds since 1970-01-01T00:00:00Z.
    package var lastChangedAt: Int64 { integer(Metadata.lastChangedAt) }

    /// Whether this is the tombstone of a record that was deleted.
    package var isTombstone: Bool { self[Metadata.deleted] == .bool(true) }

    private func integer(_ name: String) -> Int64 {
        guard case .int(let number) = self[name] else { return 0 }
        return number
    }
}

package import TidelogCore

/// The metadata fields that a server adds to every model. Only the store sets them. An API without versions does not show them.
package enum Metadata {
    /// The record's version: the number of changes so far. A new record has version 1.
    package static let version = "_version"
    /// Whether the record was deleted. Absent if it was not.
    package static let deleted = "_deleted"
    /// The time of the last change, in milliseconds since 1970-01-01T00:00:00Z. The time never decreases from one change to the
    /// next.
    package static let lastChangedAt = "_lastChangedAt"

    package static let names = [version, deleted, lastChangedAt]

    package static let fields = [
        FieldSchema(version, .int, isRequired: true), FieldSchema(deleted, .bool),
        FieldSchema(lastChangedAt, .timestamp, isRequired: true),
    ]
}

extension Record {
    /// The record's version: the number of changes so far. 0 if no server has stored the record.
    package var version: Int64 { integer(Metadata.version) }

    /// The time of the last change, in milliseconds since 1970-01-01T00:00:00Z.
    package var lastChangedAt: Int64 { integer(Metadata.lastChangedAt) }

    /// Whether this record is the tombstone of a deleted record.
    package var isTombstone: Bool { self[Metadata.deleted] == .bool(true) }

    private func integer(_ name: String) -> Int64 {
        guard case .int(let number) = self[name] else { return 0 }
        return number
    }
}

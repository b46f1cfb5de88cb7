package import TidelogSchema

/// A record in the state that a server returned.
package struct ServerRecord: Sendable, Hashable {
    /// The identity of the record.
    package var reference: RecordReference
    /// The record's fields; `nil` if the server has deleted it.
    package var row: Record?
    /// The server's version.
    package var version: UInt64
    /// The time of the server's last change of the record, in milliseconds since 1970-01-01T00:00:00Z.
    package var lastChangedAt: Int64
    /// Whether a field that is null here may have a value on the server, because the record is a push or a response of a server
    /// that does not send every field.
    package var mayLackValues = false

    package init(_ reference: RecordReference, row: Record?, version: UInt64, lastChangedAt: Int64) {
        (self.reference, self.row) = (reference, row)
        (self.version, self.lastChangedAt) = (version, lastChangedAt)
    }

    /// Whether the record is deleted on the server.
    package var isDeleted: Bool { row == nil }

    /// The server's state of the record in the form that the log keeps.
    ///
    /// - Parameter base: The version that the oldest pending change started from; `nil` if no change is pending.
    package func state(base: UInt64? = nil) -> ServerState {
        ServerState(baseVersion: base, version: version, lastChangedAt: lastChangedAt, isDeleted: isDeleted)
    }
}

package import TidelogSchema

/// A record in the state that a server returned.
package struct ServerRecord: Sendable, Hashable {
    /// The identity of the record.
    package var reference: RecordReference
    private var content: Content
    /// The server's version.
    package var version: UInt64
    /// The time of the server's last change of the record, in milliseconds since 1970-01-01T00:00:00Z.
    package var lastChangedAt: Int64
    /// Whether a field that is null here may have a value on the server, because the record is a push or a response of a server
    /// that does not send every field.
    package var mayLackValues = false

    package init(_ reference: RecordReference, row: Record?, version: UInt64, lastChangedAt: Int64) {
        (self.reference, content) = (reference, row.map { .decoded($0) } ?? .deleted)
        (self.version, self.lastChangedAt) = (version, lastChangedAt)
    }

    package init(_ reference: RecordReference, encoded row: any ReceivedRow, version: UInt64, lastChangedAt: Int64) {
        (self.reference, content) = (reference, .encoded(row))
        (self.version, self.lastChangedAt) = (version, lastChangedAt)
    }

    /// Makes a record that the server keeps, but whose row says that it is deleted (``RecordStamp/deletionField``).
    package init(_ reference: RecordReference, deleted row: Record, version: UInt64, lastChangedAt: Int64) {
        (self.reference, content) = (reference, .marked(row))
        (self.version, self.lastChangedAt) = (version, lastChangedAt)
    }

    /// The record's fields; `nil` if the server has deleted it.
    package var row: Record? {
        get {
            switch content {
            case .deleted, .marked: nil
            case .decoded(let row): row
            case .encoded(let row): row.record
            }
        }
        set { content = newValue.map { .decoded($0) } ?? .deleted }
    }

    /// The record's row in the form in which it arrived; `nil` if it is decoded already, or if the record is deleted.
    package var encodedRow: (any ReceivedRow)? { if case .encoded(let row) = content { row } else { nil } }

    /// Whether both are the same state of the record: they have one version, and both are deleted or neither is.
    package func hasState(of other: ServerRecord) -> Bool {
        version == other.version && isDeleted == other.isDeleted
    }

    /// Whether the server had `other` and no longer shows it. A base query without the record is noted like this: as a deletion
    /// with the version and the time of the last known state.
    package func isEnd(of other: ServerRecord) -> Bool {
        isDeleted && !other.isDeleted && (version, lastChangedAt) == (other.version, other.lastChangedAt)
    }

    /// Decodes the row, so that it can be used several times.
    mutating func decode() { if case .encoded(let row) = content { content = .decoded(row.record) } }

    /// Whether the record is deleted on the server.
    package var isDeleted: Bool {
        switch content {
        case .deleted, .marked: true
        case .decoded, .encoded: false
        }
    }

    /// The fields of a deleted record that the server keeps; `nil` for any other record.
    package var deletedRow: Record? { if case .marked(let row) = content { row } else { nil } }

    /// The server's state of the record in the form that the log keeps.
    ///
    /// - Parameter base: The version that the oldest pending change started from; `nil` if no change is pending.
    package func state(base: UInt64? = nil) -> ServerState {
        ServerState(baseVersion: base, version: version, lastChangedAt: lastChangedAt, isDeleted: isDeleted)
    }
}

extension ServerRecord {
    private enum Content: Sendable {
        case deleted
        case marked(Record)
        case decoded(Record)
        case encoded(any ReceivedRow)
    }

    package static func == (one: Self, other: Self) -> Bool {
        one.reference == other.reference && one.version == other.version && one.lastChangedAt == other.lastChangedAt
            && one.mayLackValues == other.mayLackValues && one.row == other.row && one.deletedRow == other.deletedRow
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(reference)
        hasher.combine(version)
        hasher.combine(lastChangedAt)
    }
}

/// A row in the form in which it arrived. It is decoded when its values are needed.
package protocol ReceivedRow: Sendable {
    var record: Record { get }
}

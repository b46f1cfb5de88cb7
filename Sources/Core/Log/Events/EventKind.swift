/// The kind of an event: what happened.
public enum EventKind: UInt8, Sendable, Hashable, CaseIterable {
    /// A record was saved in this store. The event holds the full row.
    case saved = 1
    /// A record was deleted in this store.
    case deleted = 2
    /// A server's state of a record arrived. The event holds the full row, or notes the deletion.
    case received = 3
    /// The server accepted a mutation.
    case acknowledged = 4
    /// The server refused a mutation, and the mutation is not sent again.
    case rejected = 5
    /// A record no longer belongs to the synced records. The store removes the record, but the server keeps it.
    case leftScope = 6
    /// The schema changed. The event holds the whole new schema.
    case schemaChanged = 7
    /// The sync engine stored a value under a name, or removed such a note.
    case noted = 8

    /// Whether an event of this kind with `flags` writes or removes the visible row of its record.
    func changesRow(_ flags: EventFlags) -> Bool {
        switch self {
        case .saved, .deleted, .received, .leftScope: !flags.contains(.shadowed)
        case .acknowledged, .rejected, .schemaChanged, .noted: false
        }
    }
}

/// The origin of an event.
public enum Origin: String, Sendable, Hashable {
    /// The app that uses this store.
    case local
    /// A server.
    case remote
}

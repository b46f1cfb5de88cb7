/// The layout of an event's header (FORMATS, section 3).
enum EventFormat {
    static let version: UInt8 = 1
    static let headerByteCount = 72
    /// The offset of the first byte that the checksum covers.
    static let bodyOffset = 16
    static let serverSectionByteCount = 28
    static let answerSectionByteCount = 24

    enum Offset {
        static let length = 0
        static let checksum = 4
        static let chain = 8
        static let sequence = 16
        static let previous = 24
        static let wallClock = 32
        static let incarnation = 40
        static let indexInCommit = 48
        static let schemaVersion = 52
        static let model = 56
        static let format = 60
        static let kind = 61
        static let flags = 62
        static let keyLength = 64
        static let bitmapLength = 66
        static let conditionLength = 68
    }
}

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
}

extension EventKind {
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

struct EventFlags: OptionSet, Sendable {
    let rawValue: UInt16

    static let lastInCommit = EventFlags(rawValue: 1 << 0)
    static let remote = EventFlags(rawValue: 1 << 1)
    static let encrypted = EventFlags(rawValue: 1 << 2)
    static let compressed = EventFlags(rawValue: 1 << 3)
    static let hasServerSection = EventFlags(rawValue: 1 << 4)
    static let hasAnswerSection = EventFlags(rawValue: 1 << 5)
    static let rowIsAbsent = EventFlags(rawValue: 1 << 6)
    static let bulk = EventFlags(rawValue: 1 << 7)
    static let migrated = EventFlags(rawValue: 1 << 8)
    static let salvaged = EventFlags(rawValue: 1 << 9)
    static let shadowed = EventFlags(rawValue: 1 << 10)

    /// The flags that this version can read.
    static let known: EventFlags = [
        .lastInCommit, .remote, .hasServerSection, .hasAnswerSection, .rowIsAbsent, .bulk, .migrated, .salvaged,
        .shadowed,
    ]
}

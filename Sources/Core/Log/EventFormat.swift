/// The layout of an event's header (FORMATS, section 3).
enum EventFormat {
    static let version: UInt8 = 1
    static let headerByteCount = 72
    /// Where the bytes begin that the checksum covers.
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

/// What one event says happened.
public enum EventKind: UInt8, Sendable, Hashable, CaseIterable {
    /// A record was saved here: its full row.
    case saved = 1
    /// A record was deleted here.
    case deleted = 2
    /// A server's state of a record arrived: its full row, or its deletion.
    case received = 3
    /// The server took a mutation.
    case acknowledged = 4
    /// The server refused a mutation for good.
    case rejected = 5
    /// A record is no longer among those that are synced; it is removed here, not on the server.
    case leftScope = 6
    /// The schema changed: the whole new schema.
    case schemaChanged = 7
    /// The sync engine noted a value under a name, or removed a note.
    case noted = 8
}

extension EventKind {
    /// Whether an event of this kind with `flags` puts or removes its record's visible row.
    func changesRow(_ flags: EventFlags) -> Bool {
        switch self {
        case .saved, .deleted, .received, .leftScope: !flags.contains(.shadowed)
        case .acknowledged, .rejected, .schemaChanged, .noted: false
        }
    }
}

/// Where an event came from.
public enum Origin: String, Sendable, Hashable {
    /// This store's app.
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

    /// What this version can read.
    static let known: EventFlags = [
        .lastInCommit, .remote, .hasServerSection, .hasAnswerSection, .rowIsAbsent, .bulk, .migrated, .salvaged,
        .shadowed,
    ]
}

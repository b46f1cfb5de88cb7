/// The layout of an event's header (FORMATS, section 3).
package enum EventFormat {
    package static let version: UInt8 = 1
    package static let headerByteCount = 72
    /// The offset of the first byte that the checksum covers.
    package static let bodyOffset = 16
    package static let serverSectionByteCount = 28
    package static let answerSectionByteCount = 24

    package enum Offset {
        package static let length = 0
        package static let checksum = 4
        package static let chain = 8
        package static let sequence = 16
        package static let previous = 24
        package static let wallClock = 32
        package static let incarnation = 40
        package static let indexInCommit = 48
        package static let schemaVersion = 52
        package static let model = 56
        package static let format = 60
        package static let kind = 61
        package static let flags = 62
        package static let keyLength = 64
        package static let bitmapLength = 66
        package static let conditionLength = 68
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

package struct EventFlags: OptionSet, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let lastInCommit = EventFlags(rawValue: 1 << 0)
    package static let remote = EventFlags(rawValue: 1 << 1)
    package static let encrypted = EventFlags(rawValue: 1 << 2)
    package static let compressed = EventFlags(rawValue: 1 << 3)
    package static let hasServerSection = EventFlags(rawValue: 1 << 4)
    package static let hasAnswerSection = EventFlags(rawValue: 1 << 5)
    package static let rowIsAbsent = EventFlags(rawValue: 1 << 6)
    package static let bulk = EventFlags(rawValue: 1 << 7)
    package static let migrated = EventFlags(rawValue: 1 << 8)
    package static let salvaged = EventFlags(rawValue: 1 << 9)
    package static let shadowed = EventFlags(rawValue: 1 << 10)

    /// The flags that this version can read.
    static let known: EventFlags = [
        .lastInCommit, .remote, .hasServerSection, .hasAnswerSection, .rowIsAbsent, .bulk, .migrated, .salvaged,
        .shadowed,
    ]
}

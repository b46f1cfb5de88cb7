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

    /// What this version can read.
    static let known: EventFlags = [
        .lastInCommit, .remote, .hasServerSection, .hasAnswerSection, .rowIsAbsent, .bulk, .migrated, .salvaged,
    ]
}

/// What a server says about the state of one record.
public struct ServerState: Sendable, Hashable {
    /// The server's version that the local edit started from, if there was one.
    public var baseVersion: UInt64?
    /// The server's version of the record, if it has one.
    public var version: UInt64?
    /// When the server last changed the record, in milliseconds since 1970-01-01T00:00:00Z.
    public var lastChangedAt: Int64
    /// Whether the record is deleted on the server.
    public var isDeleted: Bool

    /// A server's state.
    public init(baseVersion: UInt64? = nil, version: UInt64? = nil, lastChangedAt: Int64 = 0, isDeleted: Bool = false) {
        self.baseVersion = baseVersion
        self.version = version
        self.lastChangedAt = lastChangedAt
        self.isDeleted = isDeleted
    }
}

extension ServerState {
    /// The state whose section's bytes (FORMATS, section 3) these are, `nil` where they are none.
    init?(encoded bytes: UnsafeRawBufferPointer) {
        guard bytes.count == EventFormat.serverSectionByteCount, let base = bytes.baseAddress else { return nil }
        let pointer = UnsafeRawPointer(base)
        let version = { (offset: Int) -> UInt64? in
            let value = pointer.load(offset, as: UInt64.self)
            return value == .max ? nil : value
        }
        self.init(
            baseVersion: version(0), version: version(8), lastChangedAt: pointer.load(16, as: Int64.self),
            isDeleted: pointer.load(24, as: UInt8.self) != 0)
    }
}

/// What identifies a mutation across resends: the event that asked for it.
public struct MutationID: Sendable, Hashable {
    /// The incarnation of the store that appended the event.
    public let incarnation: UInt64
    /// The event.
    public let sequence: SequenceNumber

    /// The mutation that the event at `sequence` of `incarnation` asks for.
    public init(incarnation: UInt64, sequence: SequenceNumber) {
        self.incarnation = incarnation
        self.sequence = sequence
    }
}

/// Which mutation an event answers, and how far the outbox is answered with it.
public struct Answer: Sendable, Hashable {
    /// The mutation that is answered.
    public var mutation: MutationID
    /// The outbox's position after the answer.
    public var outboxPosition: SequenceNumber

    /// The answer to `mutation`.
    public init(mutation: MutationID, outboxPosition: SequenceNumber) {
        self.mutation = mutation
        self.outboxPosition = outboxPosition
    }
}

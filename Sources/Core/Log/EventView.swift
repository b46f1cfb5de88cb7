/// Bytes that are not an event, or not the event they should be.
struct EventDamage: Error, Sendable, Hashable, CustomStringConvertible {
    let reason: String
    /// Whether the event is whole but of a format this version does not know.
    var isNewer = false

    var description: String { reason }
}

/// An event's bytes, read in place. Valid for as long as the bytes are.
package struct EventView {
    let bytes: UnsafeRawBufferPointer
    private let base: UnsafeRawPointer
    private let keyStart: Int
    private let bitmapStart: Int
    private let conditionStart: Int
    private let serverStart: Int
    private let answerStart: Int
    package let kind: EventKind
    let flags: EventFlags

    /// Checks structure and checksum of what was read from disk.
    init(verifying bytes: UnsafeRawBufferPointer, expecting sequence: UInt64) throws(EventDamage) {
        guard bytes.count >= EventFormat.headerByteCount, let base = bytes.baseAddress else {
            throw EventDamage(reason: "shorter than a header")
        }
        let length = base.load(EventFormat.Offset.length, as: UInt32.self)
        guard Int(length) == bytes.count else { throw EventDamage(reason: "its length differs from the stored one") }
        let checksum = Checksum.checksum(
            body: UnsafeRawBufferPointer(rebasing: bytes.dropFirst(EventFormat.bodyOffset)), length: length,
            chain: base.load(EventFormat.Offset.chain, as: UInt64.self))
        guard checksum == base.load(EventFormat.Offset.checksum, as: UInt32.self) else {
            throw EventDamage(reason: "its checksum is wrong")
        }
        guard base.load(EventFormat.Offset.sequence, as: UInt64.self) == sequence else {
            throw EventDamage(reason: "it is another event than the one asked for")
        }
        try self.init(bytes)
    }

    /// Trusts the bytes to be whole: of this process, or verified before.
    init(_ bytes: UnsafeRawBufferPointer) throws(EventDamage) {
        guard bytes.count >= EventFormat.headerByteCount, let base = bytes.baseAddress else {
            throw EventDamage(reason: "shorter than a header")
        }
        guard base.load(EventFormat.Offset.format, as: UInt8.self) == EventFormat.version else {
            throw EventDamage(reason: "its format is not known to this version", isNewer: true)
        }
        guard let kind = EventKind(rawValue: base.load(EventFormat.Offset.kind, as: UInt8.self)) else {
            throw EventDamage(reason: "its kind is not known to this version", isNewer: true)
        }
        let flags = EventFlags(rawValue: base.load(EventFormat.Offset.flags, as: UInt16.self))
        guard EventFlags.known.isSuperset(of: flags) else {
            throw EventDamage(reason: "it has a flag that this version does not know", isNewer: true)
        }
        self.bytes = bytes
        self.base = base
        self.kind = kind
        self.flags = flags
        answerStart = bytes.count - (flags.contains(.hasAnswerSection) ? EventFormat.answerSectionByteCount : 0)
        serverStart = answerStart - (flags.contains(.hasServerSection) ? EventFormat.serverSectionByteCount : 0)
        conditionStart = serverStart - Int(base.load(EventFormat.Offset.conditionLength, as: UInt32.self))
        bitmapStart = conditionStart - Int(base.load(EventFormat.Offset.bitmapLength, as: UInt16.self))
        keyStart = bitmapStart - Int(base.load(EventFormat.Offset.keyLength, as: UInt16.self))
        guard keyStart >= EventFormat.headerByteCount else {
            throw EventDamage(reason: "its sections run beyond its end")
        }
    }

    @inline(__always)
    private func load<Number: FixedWidthInteger>(_ offset: Int, as type: Number.Type) -> Number {
        base.load(offset, as: type)
    }

    private func slice(_ start: Int, _ end: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base + start, count: end - start)
    }

    package var sequence: SequenceNumber { SequenceNumber(load(EventFormat.Offset.sequence, as: UInt64.self)) }
    var chain: UInt64 { load(EventFormat.Offset.chain, as: UInt64.self) }
    var previous: SequenceNumber { SequenceNumber(load(EventFormat.Offset.previous, as: UInt64.self)) }
    /// Microseconds since 1970-01-01T00:00:00Z.
    var wallClock: Int64 { load(EventFormat.Offset.wallClock, as: Int64.self) }
    var incarnation: UInt64 { load(EventFormat.Offset.incarnation, as: UInt64.self) }
    var indexInCommit: UInt32 { load(EventFormat.Offset.indexInCommit, as: UInt32.self) }
    var commitFirst: SequenceNumber { SequenceNumber(sequence.value &- UInt64(indexInCommit)) }
    var schemaVersion: UInt32 { load(EventFormat.Offset.schemaVersion, as: UInt32.self) }
    package var modelNumber: UInt32 { load(EventFormat.Offset.model, as: UInt32.self) }
    var isLastInCommit: Bool { flags.contains(.lastInCommit) }
    var origin: Origin { flags.contains(.remote) ? .remote : .local }
    package var key: UnsafeRawBufferPointer { slice(keyStart, bitmapStart) }
    var changedFields: FieldSet { FieldSet(bits: slice(bitmapStart, conditionStart)) }
    var condition: UnsafeRawBufferPointer { slice(conditionStart, serverStart) }
    var payload: UnsafeRawBufferPointer { slice(EventFormat.headerByteCount, keyStart) }

    /// The row that the event holds, `nil` if it holds none. It is the record's row from then on if the event changes the
    /// row.
    var row: UnsafeRawBufferPointer? {
        switch kind {
        case .saved, .received: flags.contains(.rowIsAbsent) ? nil : payload
        default: nil
        }
    }

    /// What a server says about the record, as bytes; `nil` if the event has no such section.
    var serverSection: UnsafeRawBufferPointer? {
        flags.contains(.hasServerSection) ? slice(serverStart, answerStart) : nil
    }

    /// Which mutation the event answers, as bytes; `nil` if the event has no such section.
    var answerSection: UnsafeRawBufferPointer? {
        flags.contains(.hasAnswerSection) ? slice(answerStart, bytes.count) : nil
    }

    /// Whether a migration wrote the event: the record in the form of a later schema, and no change that anyone made.
    package var isMigrated: Bool { flags.contains(.migrated) }

    /// Whether the event says what a server holds of a record that has pending changes, and leaves the visible row as it is.
    var isShadowed: Bool { flags.contains(.shadowed) }

    /// Whether the event puts or removes its record's visible row.
    var changesRow: Bool { kind.changesRow(flags) }

    /// Whether the event takes its record's row away.
    var leavesNoRow: Bool { changesRow && row == nil }

    /// The name that the event notes something under, `nil` if the event is no note.
    var noteName: UnsafeRawBufferPointer? { kind == .noted ? key : nil }

    /// What the event notes, `nil` if it removes a note or is none.
    var noteValue: UnsafeRawBufferPointer? { kind == .noted && !flags.contains(.rowIsAbsent) ? payload : nil }

    /// Whether the event leaves neither a row nor a note where there may have been one.
    var leavesNothing: Bool { leavesNoRow || kind == .noted && noteValue == nil }

    /// Whether both events are of one record.
    func isOfRecord(of other: EventView) -> Bool {
        modelNumber == other.modelNumber && ByteComparison.order(key, other.key) == 0
    }
}

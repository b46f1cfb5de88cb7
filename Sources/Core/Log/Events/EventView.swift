/// An event that is read in place from its bytes. The view is valid as long as the bytes are.
package struct EventView {
    let bytes: UnsafeRawBufferPointer
    private let base: UnsafeRawPointer
    private let keyStart: Int
    private let bitmapStart: Int
    private let conditionStart: Int
    private let serverStart: Int
    private let answerStart: Int
    package let kind: EventKind
    package let flags: EventFlags

    /// Reads an event from disk, and checks its structure and its checksum.
    package init(verifying bytes: UnsafeRawBufferPointer, expecting sequence: UInt64) throws(EventDamage) {
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

    /// Reads an event whose bytes are known to be whole, because this process wrote or verified them.
    package init(_ bytes: UnsafeRawBufferPointer) throws(EventDamage) {
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
    package var chain: UInt64 { load(EventFormat.Offset.chain, as: UInt64.self) }
    var previous: SequenceNumber { SequenceNumber(load(EventFormat.Offset.previous, as: UInt64.self)) }
    /// Microseconds since 1970-01-01T00:00:00Z.
    var wallClock: Int64 { load(EventFormat.Offset.wallClock, as: Int64.self) }
    var incarnation: UInt64 { load(EventFormat.Offset.incarnation, as: UInt64.self) }
    package var indexInCommit: UInt32 { load(EventFormat.Offset.indexInCommit, as: UInt32.self) }
    var commitFirst: SequenceNumber { SequenceNumber(sequence.value &- UInt64(indexInCommit)) }
    package var schemaVersion: UInt32 { load(EventFormat.Offset.schemaVersion, as: UInt32.self) }
    package var modelNumber: UInt32 { load(EventFormat.Offset.model, as: UInt32.self) }
    package var isLastInCommit: Bool { flags.contains(.lastInCommit) }
    var origin: Origin { flags.contains(.remote) ? .remote : .local }
    package var key: UnsafeRawBufferPointer { slice(keyStart, bitmapStart) }
    var changedFields: FieldSet { FieldSet(bits: slice(bitmapStart, conditionStart)) }
    var condition: UnsafeRawBufferPointer { slice(conditionStart, serverStart) }
    package var payload: UnsafeRawBufferPointer { slice(EventFormat.headerByteCount, keyStart) }

    /// The row that the event holds, `nil` if it holds none. If ``changesRow`` is true, this is the new row of the record.
    package var row: UnsafeRawBufferPointer? {
        switch kind {
        case .saved, .received: flags.contains(.rowIsAbsent) ? nil : payload
        default: nil
        }
    }

    /// The bytes of the server state, `nil` if the event has no such section.
    var serverSection: UnsafeRawBufferPointer? {
        flags.contains(.hasServerSection) ? slice(serverStart, answerStart) : nil
    }

    /// The bytes of the reference to the mutation that the event answers, `nil` if the event has no such section.
    var answerSection: UnsafeRawBufferPointer? {
        flags.contains(.hasAnswerSection) ? slice(answerStart, bytes.count) : nil
    }

    /// Whether a migration wrote the event. Such an event repeats the record in the form of a later schema, and is not
    /// a change.
    package var isMigrated: Bool { flags.contains(.migrated) }

    /// Whether the event holds a server's state of a record that has pending changes. Such an event leaves the visible
    /// row as it is.
    var isShadowed: Bool { flags.contains(.shadowed) }

    /// Whether the event writes or removes the visible row of its record.
    package var changesRow: Bool { kind.changesRow(flags) }

    /// Whether the event removes the row of its record.
    var leavesNoRow: Bool { changesRow && row == nil }

    /// The name of the note, `nil` if the event is no note.
    package var noteName: UnsafeRawBufferPointer? { kind == .noted ? key : nil }

    /// The value of the note, `nil` if the event removes a note or is no note.
    var noteValue: UnsafeRawBufferPointer? { kind == .noted && !flags.contains(.rowIsAbsent) ? payload : nil }

    /// Whether the event removes a row or a note.
    var leavesNothing: Bool { leavesNoRow || kind == .noted && noteValue == nil }

    /// Whether both events concern the same record.
    func isOfRecord(of other: EventView) -> Bool {
        modelNumber == other.modelNumber && ByteComparison.order(key, other.key) == 0
    }
}

/// The damage of an event: its bytes are no event, or are another event than expected.
package struct EventDamage: Error, Sendable, Hashable, CustomStringConvertible {
    package let reason: String
    /// Whether the event is whole, but has a format that this version cannot read.
    package var isNewer = false

    package var description: String { reason }
}

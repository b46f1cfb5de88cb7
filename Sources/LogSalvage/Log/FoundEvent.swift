internal import TidelogCore

/// An event that was found in a file of the log, and whose checksum is right.
struct FoundEvent: Sendable {
    let sequence: UInt64
    let chain: UInt64
    /// The offset of the event in its file, in bytes.
    let offset: Int
    let length: UInt32
    /// The checksum of the event's body and length, which the chain value is made from.
    let bodyCRC: UInt32
    let schemaVersion: UInt32
    let indexInCommit: UInt32
    let flags: EventFlags
    let kind: EventKind
    /// The number of the tail's file that contains the event, `nil` if the event is in the environment.
    var tail: Int?
    /// Whether the newest tree of the log leads to the event.
    var isReached = false
    /// Whether the event is on a page of that tree.
    var isOnReachedPage = false

    /// Reads the event that `bytes`, which begin at `offset`, consist of. The result is `nil` if they are no event.
    ///
    /// - Throws: ``EventDamage`` if they are a whole event that this version cannot read.
    init?(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(EventDamage) {
        guard bytes.count >= EventFormat.headerByteCount, let base = bytes.baseAddress else { return nil }
        let header = UnsafeRawPointer(base)
        length = UInt32(bytes.count)
        chain = header.load(EventFormat.Offset.chain, as: UInt64.self)
        bodyCRC = Checksum.bodyAndLength(
            UnsafeRawBufferPointer(rebasing: bytes.dropFirst(EventFormat.bodyOffset)), length: length)
        guard
            Checksum.checksum(bodyAndLength: bodyCRC, chain: chain)
                == header.load(EventFormat.Offset.checksum, as: UInt32.self)
        else { return nil }
        let view: EventView
        do { view = try EventView(bytes) } catch {
            if error.isNewer { throw error }
            return nil
        }
        sequence = view.sequence.value
        guard sequence > 0, sequence < Self.sequenceLimit else { return nil }
        self.offset = offset
        schemaVersion = view.schemaVersion
        indexInCommit = view.indexInCommit
        flags = view.flags
        kind = view.kind
    }

    /// A limit for sequence numbers, which no log reaches. Larger numbers are ignored, so that computations do not overflow.
    static let sequenceLimit: UInt64 = 1 << 62

    /// Whether the chain leads from the value `previous` to this event.
    func follows(_ previous: UInt64) -> Bool {
        Checksum.chain(bodyAndLength: bodyCRC, length: length, after: previous) == chain
    }

    /// Whether both are copies of the same event.
    func isCopy(of other: FoundEvent) -> Bool {
        sequence == other.sequence && chain == other.chain && bodyCRC == other.bodyCRC && length == other.length
    }

    var isLastInCommit: Bool { flags.contains(.lastInCommit) }
    var number: SequenceNumber { SequenceNumber(sequence) }
    var position: Position { Position(sequence: number, chain: chain) }
}

/// An event that stands somewhere in a log's file, and whose checksum holds.
struct FoundEvent: Sendable {
    let sequence: UInt64
    let chain: UInt64
    /// In bytes from the start of its file.
    let offset: Int
    let length: UInt32
    /// What the chain takes of its bytes.
    let bodyCRC: UInt32
    let schemaVersion: UInt32
    let indexInCommit: UInt32
    let flags: EventFlags
    let kind: EventKind
    /// Which of the tail's files it stands in, `nil` if it is in the environment.
    var tail: Int?
    /// Whether the log's newest tree leads to it.
    var isReached = false
    /// Whether it stands on a page of that tree.
    var isOnReachedPage = false

    /// The event that `bytes` are, which stand at `offset`; `nil` if they are none.
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

    /// No log has as many events: numbers beyond are not computed with.
    static let sequenceLimit: UInt64 = 1 << 62

    /// Whether the chain goes from `previous` to this event.
    func follows(_ previous: UInt64) -> Bool {
        Checksum.chain(bodyAndLength: bodyCRC, length: length, after: previous) == chain
    }

    /// Whether both are copies of one event.
    func isCopy(of other: FoundEvent) -> Bool {
        sequence == other.sequence && chain == other.chain && bodyCRC == other.bodyCRC && length == other.length
    }

    var isLastInCommit: Bool { flags.contains(.lastInCommit) }
    var number: SequenceNumber { SequenceNumber(sequence) }
    var position: Position { Position(sequence: number, chain: chain) }
}

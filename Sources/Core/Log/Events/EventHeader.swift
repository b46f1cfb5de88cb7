/// The header of a new event, without the fields that sealing adds.
package struct EventHeader {
    var kind: EventKind
    package var flags: EventFlags
    var model: UInt32 = 0
    var schemaVersion: UInt32
    var indexInCommit: UInt32 = 0
    var sequence: UInt64 = 0
    var wallClock: Int64 = 0
    var incarnation: UInt64 = 0
    var conditionLength: UInt32 = 0
    var keyLength: UInt16 = 0
    var bitmapLength: UInt16 = 0

    package init(kind: EventKind, flags: EventFlags = [], schemaVersion: UInt32) {
        self.kind = kind
        self.flags = flags
        self.schemaVersion = schemaVersion
    }

    /// Writes the header at `base`. The checksum, the chain and the previous event are filled in later.
    @inline(__always)
    func write(to base: UnsafeMutableRawPointer, length: Int) {
        assert(sequence > 0, "sequence numbers begin at 1")
        assert(
            length >= EventFormat.headerByteCount + Int(keyLength) + Int(bitmapLength) + Int(conditionLength),
            "an event holds what its header counts")
        base.store(UInt32(truncatingIfNeeded: length), at: EventFormat.Offset.length)
        base.store(UInt32(0), at: EventFormat.Offset.checksum)
        base.store(UInt64(0), at: EventFormat.Offset.chain)
        base.store(sequence, at: EventFormat.Offset.sequence)
        base.store(UInt64(0), at: EventFormat.Offset.previous)
        base.store(wallClock, at: EventFormat.Offset.wallClock)
        base.store(incarnation, at: EventFormat.Offset.incarnation)
        base.store(indexInCommit, at: EventFormat.Offset.indexInCommit)
        base.store(schemaVersion, at: EventFormat.Offset.schemaVersion)
        base.store(model, at: EventFormat.Offset.model)
        base.store(EventFormat.version, at: EventFormat.Offset.format)
        base.store(kind.rawValue, at: EventFormat.Offset.kind)
        base.store(flags.rawValue, at: EventFormat.Offset.flags)
        base.store(keyLength, at: EventFormat.Offset.keyLength)
        base.store(bitmapLength, at: EventFormat.Offset.bitmapLength)
        base.store(conditionLength, at: EventFormat.Offset.conditionLength)
    }
}

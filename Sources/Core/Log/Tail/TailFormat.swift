/// The layout of the tail's files (FORMATS, section 2.1).
enum TailFormat {
    static let version: UInt32 = 2
    /// `TIDETAIL`, read as a little-endian number.
    static let magic: UInt64 = 0x4C49_4154_4544_4954
    static let fileHeaderByteCount = 512
    /// The length of the header in version 1, which ended with the store's id.
    static let firstFileHeaderByteCount = 32
    static let frameHeaderByteCount = 48
    static let consumerHeaderByteCount = 18
    static let maximumConsumerCount = Int(UInt16.max)
    /// Each frame begins at a multiple of this number.
    static let alignment = 8
    /// The largest size of a file.
    static let maximumFileByteCount = 8 << 20
    /// The step in which a file grows.
    static let growthByteCount = 512 << 10

    enum FileOffset {
        static let magic = 0
        static let version = 8
        static let checksum = 12
        static let store = 16
        static let incarnation = 32
        static let extensionChecksum = 40
        static let uptimeByteCount = 44
        static let uptime = 46
    }

    enum Offset {
        static let checksum = 0
        static let length = 4
        static let number = 8
        static let round = 16
        static let sequence = 24
        static let chain = 32
        static let eventCount = 40
        static let consumerCount = 44
        static let flags = 46
        static let reserved = 47
    }

    /// The flag of a frame that was written when everything before it was durable.
    static let followsDurable: UInt8 = 1

    static func path(_ directory: String, _ index: Int) -> String { "\(directory)/tail-\(index + 1)" }

    /// The next offset at which a frame may begin.
    static func aligned(_ byteCount: Int) -> Int { (byteCount + alignment - 1) & ~(alignment - 1) }
}

/// The header of a frame: its first bytes.
struct TailFrameHeader {
    var length: UInt32
    var number: UInt64
    /// A random number for the present round of a file. It is drawn again each time the file begins again, so that
    /// frames of earlier rounds do not count.
    var round: UInt64
    /// The position in the log before the frame's events.
    var start: Position
    var eventCount: UInt32
    var consumerCount: UInt16
    var flags: UInt8

    /// Writes the header without the checksum.
    func write(to base: UnsafeMutableRawPointer) {
        base.store(UInt32(0), at: TailFormat.Offset.checksum)
        base.store(length, at: TailFormat.Offset.length)
        base.store(number, at: TailFormat.Offset.number)
        base.store(round, at: TailFormat.Offset.round)
        base.store(start.sequence.value, at: TailFormat.Offset.sequence)
        base.store(start.chain, at: TailFormat.Offset.chain)
        base.store(eventCount, at: TailFormat.Offset.eventCount)
        base.store(consumerCount, at: TailFormat.Offset.consumerCount)
        base.store(flags, at: TailFormat.Offset.flags)
        base.store(UInt8(0), at: TailFormat.Offset.reserved)
    }

    /// Reads a header from the bytes at `base`, which must be as many as a header has.
    init(reading base: UnsafeRawPointer) {
        length = base.load(TailFormat.Offset.length, as: UInt32.self)
        number = base.load(TailFormat.Offset.number, as: UInt64.self)
        round = base.load(TailFormat.Offset.round, as: UInt64.self)
        start = Position(
            sequence: SequenceNumber(base.load(TailFormat.Offset.sequence, as: UInt64.self)),
            chain: base.load(TailFormat.Offset.chain, as: UInt64.self))
        eventCount = base.load(TailFormat.Offset.eventCount, as: UInt32.self)
        consumerCount = base.load(TailFormat.Offset.consumerCount, as: UInt16.self)
        flags = base.load(TailFormat.Offset.flags, as: UInt8.self)
    }

    init(
        length: UInt32, number: UInt64, round: UInt64, start: Position, eventCount: UInt32, consumerCount: UInt16,
        flags: UInt8
    ) {
        (self.length, self.number, self.round, self.start) = (length, number, round, start)
        (self.eventCount, self.consumerCount, self.flags) = (eventCount, consumerCount, flags)
    }
}

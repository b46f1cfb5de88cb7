/// The layout of the tail's files (FORMATS, section 2.1).
enum TailFormat {
    static let version: UInt32 = 2
    /// `TIDETAIL`, read as a little-endian number.
    static let magic: UInt64 = 0x4C49_4154_4544_4954
    static let fileHeaderByteCount = 512
    /// The header of version 1 ended with the store's id.
    static let firstFileHeaderByteCount = 32
    static let frameHeaderByteCount = 48
    static let consumerHeaderByteCount = 18
    static let maximumConsumerCount = Int(UInt16.max)
    /// Frames begin at multiples of this.
    static let alignment = 8
    /// No file is larger.
    static let maximumFileByteCount = 8 << 20
    /// By how much a file grows at a time.
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

    /// Set if everything before the frame was durable when it was written.
    static let followsDurable: UInt8 = 1

    static func path(_ directory: String, _ index: Int) -> String { "\(directory)/tail-\(index + 1)" }

    /// The next place at which a frame may begin.
    static func aligned(_ byteCount: Int) -> Int { (byteCount + alignment - 1) & ~(alignment - 1) }
}

/// The first bytes of a frame.
struct TailFrameHeader {
    var length: UInt32
    var number: UInt64
    /// Drawn at random each time a file begins again, so that frames of earlier rounds do not count.
    var round: UInt64
    /// The place in the log that the frame's events follow.
    var start: Position
    var eventCount: UInt32
    var consumerCount: UInt16
    var flags: UInt8

    /// Writes everything but the checksum.
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

    /// Reads a header; `base` has its bytes.
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

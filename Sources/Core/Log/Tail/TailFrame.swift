internal import CChecksum

/// One group of the tail, read in place and verified. It is valid as long as its bytes are.
struct TailFrame {
    let header: Header
    /// The offset of each event from the first byte of the frame.
    let eventOffsets: [UInt32]
    /// The position in the log after the frame's events.
    let end: Position
    /// The new positions of consumers. A consumer with the value `nil` is removed.
    let consumers: [String: Position?]

    var byteCount: Int { Int(header.length) }

    /// Reads the frame at the beginning of `bytes`. The result is `nil` if there is no whole frame.
    ///
    /// - Throws: ``DataStoreError`` with code `logDamaged` if the checksum of the frame is right but its contents are
    ///   not. The code is `newerFormat` if a newer version wrote the frame.
    init?(_ bytes: UnsafeRawBufferPointer) throws {
        guard let header = Self.header(bytes, within: bytes.count),
            let base = bytes.baseAddress.map({ UnsafeRawPointer($0) })
        else {
            return nil
        }
        let length = Int(header.length)
        let checksum = tidelog_crc32c(0, base + TailFormat.Offset.length, length - TailFormat.Offset.length)
        guard checksum == base.load(TailFormat.Offset.checksum, as: UInt32.self) else { return nil }
        self.header = header
        guard header.flags & ~TailFormat.followsDurable == 0 else { throw DataStoreError.newerTail(header.number) }
        var offset = TailFormat.frameHeaderByteCount
        var offsets: [UInt32] = []
        offsets.reserveCapacity(Int(min(header.eventCount, 1 << 17)))
        var last = header.start
        for _ in 0..<header.eventCount {
            let event = try Self.event(UnsafeRawBufferPointer(rebasing: bytes[offset..<length]), after: last)
            offsets.append(UInt32(offset))
            offset += event.bytes.count
            last = Position(sequence: event.sequence, chain: event.chain)
        }
        eventOffsets = offsets
        end = last
        consumers = try Self.consumers(
            UnsafeRawBufferPointer(rebasing: bytes[offset..<length]), count: Int(header.consumerCount))
    }

    /// The header at the beginning of `bytes`. The result is `nil` if there is no header, or if its frame has more than
    /// `room` bytes.
    static func header(_ bytes: UnsafeRawBufferPointer, within room: Int) -> Header? {
        guard bytes.count >= TailFormat.frameHeaderByteCount, let base = bytes.baseAddress else { return nil }
        let header = Header(reading: UnsafeRawPointer(base))
        guard header.number > 0, header.round > 0, Int(header.length) >= TailFormat.frameHeaderByteCount,
            Int(header.length) <= room, Int(header.length) % TailFormat.alignment == 0
        else { return nil }
        return header
    }

    private static func event(_ bytes: UnsafeRawBufferPointer, after last: Position) throws -> EventView {
        guard bytes.count >= EventFormat.headerByteCount, let base = bytes.baseAddress,
            case let length = Int(UnsafeRawPointer(base).load(EventFormat.Offset.length, as: UInt32.self)),
            length <= bytes.count
        else { throw DataStoreError.damagedLog("has an event in its tail that runs beyond its group") }
        let (next, isBeyond) = last.sequence.value.addingReportingOverflow(1)
        guard !isBeyond else {
            throw DataStoreError.damagedLog("has an event in its tail after the last possible number")
        }
        let event = try EventView.verified(UnsafeRawBufferPointer(rebasing: bytes[..<length]), next)
        guard event.follows(last.chain) else {
            throw DataStoreError.damagedLog(
                "has event \(event.sequence) in its tail, which does not follow the one before it")
        }
        return event
    }

    private static func consumers(_ bytes: UnsafeRawBufferPointer, count: Int) throws -> [String: Position?] {
        var consumers: [String: Position?] = [:]
        var offset = 0
        for _ in 0..<count {
            guard bytes.count - offset >= TailFormat.consumerHeaderByteCount, let base = bytes.baseAddress else {
                throw DataStoreError.damagedLog("has a consumer in its tail that runs beyond its group")
            }
            let entry = UnsafeRawPointer(base) + offset
            let (isMoved, nameByteCount) = (entry.load(0, as: UInt8.self), Int(entry.load(1, as: UInt8.self)))
            let start = offset + TailFormat.consumerHeaderByteCount
            guard isMoved <= 1, bytes.count - start >= nameByteCount,
                let name = String(validating: bytes[start..<(start + nameByteCount)], as: UTF8.self)
            else { throw DataStoreError.damagedLog("has a consumer in its tail that cannot be read") }
            let position = Position(
                sequence: SequenceNumber(entry.load(2, as: UInt64.self)), chain: entry.load(10, as: UInt64.self))
            consumers.updateValue(isMoved == 1 ? position : nil, forKey: name)
            offset = start + nameByteCount
        }
        return consumers
    }

    /// The header of a frame: its first bytes.
    struct Header {
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

        /// Whether the group was written right after `last`, to the same file.
        func follows(_ last: Header) -> Bool { number == last.number + 1 && round == last.round }
    }
}

extension DataStoreError {
    static func newerTail(_ number: UInt64) -> DataStoreError {
        DataStoreError(
            .newerFormat, "Group \(number) in the log's tail was written by a newer version.",
            recovery: "Open the store with the version of Tidelog that wrote it, or a newer one.")
    }
}

extension TailFrame.Header {
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
}

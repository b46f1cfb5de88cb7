internal import CChecksum
internal import TidelogPlatform
internal import TidelogSynchronization

/// The frames of one round in a file of the tail. In memory they are at the same offsets as in the file.
///
/// Sound as `@unchecked Sendable` for two reasons. Only one thread adds frames, and it adds them after the last
/// frame. Other threads read only events that were published to them, and such events never change.
final class TailSegment: @unchecked Sendable {
    /// The number of the first event.
    let first: SequenceNumber
    let round: UInt64
    private let memory: Memory
    private let mapping: Memory.Mapping
    private let base: UnsafeMutableRawPointer
    private let capacity: Int
    /// The offset of each event. This array is in the mapping, after the room for the frames.
    private let places: UnsafeMutablePointer<UInt32>
    /// The offset of the next frame.
    private(set) var end: Int
    private(set) var eventCount = 0
    /// The number of the last frame, 0 if there is none.
    private(set) var lastFrame: UInt64 = 0

    /// The memory for segments of `capacity` bytes.
    static func memory(capacity: Int) -> Memory {
        Memory(byteCount: TailFormat.aligned(capacity) + placeCount(capacity) * MemoryLayout<UInt32>.stride)
    }

    private static func placeCount(_ capacity: Int) -> Int { capacity / EventFormat.headerByteCount + 1 }

    /// Creates a segment of `capacity` bytes in `memory`. Its frames begin after the header of the file, and its first event
    /// comes after `position`.
    ///
    /// - Parameter header: The header of the file, empty if the segment is not written to a file.
    init(after position: SequenceNumber, round: UInt64, header: [UInt8], capacity: Int, in memory: Memory) {
        precondition(header.count <= capacity, "a round begins inside its file")
        first = SequenceNumber(position.value + 1)
        self.round = round
        self.capacity = capacity
        self.memory = memory
        mapping = memory.take()
        base = mapping.base
        places = (base + TailFormat.aligned(capacity)).bindMemory(to: UInt32.self, capacity: Self.placeCount(capacity))
        end = header.count
        UnsafeMutableRawBufferPointer(start: base, count: header.count).copyBytes(from: header)
    }

    deinit { memory.give(mapping) }

    /// How many more bytes fit into the segment.
    var room: Int { capacity - end }

    /// The bytes of the event at `index`. The event must be published.
    @inline(__always)
    func event(at index: Int) -> UnsafeRawBufferPointer {
        let event = UnsafeRawPointer(base + Int(places[index]))
        return UnsafeRawBufferPointer(start: event, count: Int(event.load(EventFormat.Offset.length, as: UInt32.self)))
    }

    /// Writes a frame after the last one, and returns its bytes. The frame counts after a call of
    /// ``add(_:byteCount:eventCount:)``.
    func prepare(
        _ batch: SealedEvents, moving consumers: [String: Position?], number: UInt64, after start: Position,
        flags: UInt8
    ) -> UnsafeRawBufferPointer {
        let frame = base + end
        var offset = TailFormat.frameHeaderByteCount
        var count = 0
        batch.forEach { _, bytes in
            precondition(offset + bytes.count <= room, "a frame fits its file")
            UnsafeMutableRawBufferPointer(start: frame + offset, count: bytes.count).copyMemory(from: bytes)
            places[eventCount + count] = UInt32(end + offset)
            offset += bytes.count
            count += 1
        }
        for (name, position) in consumers { offset += write(name, position, to: frame + offset, offset) }
        let length = TailFormat.aligned(offset)
        precondition(length <= room, "a frame fits its file")
        (frame + offset).initializeMemory(as: UInt8.self, repeating: 0, count: length - offset)
        TailFrame.Header(
            length: UInt32(length), number: number, round: round, start: start, eventCount: UInt32(count),
            consumerCount: UInt16(consumers.count), flags: flags
        ).write(to: frame)
        let checksum = tidelog_crc32c(0, frame + TailFormat.Offset.length, length - TailFormat.Offset.length)
        frame.store(checksum, at: TailFormat.Offset.checksum)
        return UnsafeRawBufferPointer(start: frame, count: length)
    }

    /// The blocks of the file that contain `frame`, which was prepared. The bytes after it become zeros.
    func blocks(of frame: UnsafeRawBufferPointer) -> (bytes: UnsafeRawBufferPointer, offset: Int) {
        let (block, frameEnd) = (TailFormat.blockByteCount, end + frame.count)
        let first = end / block * block
        let last = (frameEnd + block - 1) / block * block
        precondition(last <= capacity, "the file has whole blocks")
        (base + frameEnd).initializeMemory(as: UInt8.self, repeating: 0, count: last - frameEnd)
        return (UnsafeRawBufferPointer(start: base + first, count: last - first), first)
    }

    private func write(_ name: String, _ position: Position?, to entry: UnsafeMutableRawPointer, _ offset: Int) -> Int {
        var name = name
        return name.withUTF8 { name in
            let byteCount = TailFormat.consumerHeaderByteCount + name.count
            precondition(name.count <= Int(UInt8.max) && offset + byteCount <= room, "a frame fits its file")
            entry.store(UInt8(position == nil ? 0 : 1), at: 0)
            entry.store(UInt8(name.count), at: 1)
            entry.store(position?.sequence.value ?? 0, at: 2)
            entry.store(position?.chain ?? 0, at: 10)
            UnsafeMutableRawBufferPointer(start: entry + TailFormat.consumerHeaderByteCount, count: name.count)
                .copyMemory(from: UnsafeRawBufferPointer(name))
            return byteCount
        }
    }

    /// Adds the frame of `byteCount` bytes that was prepared.
    func add(_ number: UInt64, byteCount: Int, eventCount count: Int) {
        precondition(byteCount <= room, "a frame fits its file")
        assert(lastFrame == 0 || number == lastFrame + 1, "frames have numbers without gaps")
        end += byteCount
        eventCount += count
        lastFrame = number
    }

    /// Adds a copy of a frame that was read.
    func add(_ frame: TailFrame, _ bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count == frame.byteCount && bytes.count <= room, "a frame fits its file")
        UnsafeMutableRawBufferPointer(start: base + end, count: bytes.count).copyMemory(from: bytes)
        for (index, offset) in frame.eventOffsets.enumerated() {
            places[eventCount + index] = UInt32(end) + offset
        }
        add(frame.header.number, byteCount: bytes.count, eventCount: frame.eventOffsets.count)
    }

    /// Memory for the segments of one tail.
    ///
    /// The memory is mapped instead of allocated. The reason is that memory of this size stays with the allocator if one
    /// thread allocates it and another frees it. A few mappings are kept for the next segments, because the system has already
    /// provided their pages.
    final class Memory: Sendable {
        /// The bytes for each segment.
        let byteCount: Int
        private let spare = Mutex<[Mapping]>([])
        private let currentMappedCount = Atomic<Int>(0)
        /// The number of mappings that are kept. While one file is absorbed, the other fills up.
        private static let spareCount = 2

        /// A mapped piece of memory. Sound as `@unchecked Sendable` because at most one segment uses it.
        struct Mapping: @unchecked Sendable {
            let base: UnsafeMutableRawPointer
        }

        init(byteCount: Int) { self.byteCount = byteCount }

        deinit { release() }

        /// How many pieces of memory the system has provided and not got back.
        var mappedCount: Int { currentMappedCount.load(ordering: .relaxed) }

        /// Memory for a segment. Its contents are arbitrary.
        func take() -> Mapping {
            if let mapping = spare.withLock({ $0.popLast() }) { return mapping }
            let mapped = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            guard let mapped, mapped != MAP_FAILED else {
                preconditionFailure("the system has no memory for the log's tail")
            }
            currentMappedCount.add(1, ordering: .relaxed)
            return Mapping(base: mapped)
        }

        /// Accepts the memory of a segment that no longer needs it.
        func give(_ mapping: Mapping) {
            let isKept = spare.withLock { spare in
                guard spare.count < Self.spareCount else { return false }
                spare.append(mapping)
                return true
            }
            if !isKept { unmap(mapping) }
        }

        /// Returns the kept memory to the system.
        func release() {
            let kept = spare.withLock { spare in
                defer { spare = [] }
                return spare
            }
            for mapping in kept { unmap(mapping) }
        }

        private func unmap(_ mapping: Mapping) {
            munmap(mapping.base, byteCount)
            currentMappedCount.subtract(1, ordering: .relaxed)
        }
    }
}

extension SealedEvents {
    /// The size of a frame with these events and with new positions of `consumers`, in bytes.
    func frameByteCount(moving consumers: [String: Position?]) -> Int {
        let names = consumers.keys.reduce(0) { $0 + TailFormat.consumerHeaderByteCount + $1.utf8.count }
        return TailFormat.aligned(TailFormat.frameHeaderByteCount + byteCount + names)
    }
}

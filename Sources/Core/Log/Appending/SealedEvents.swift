internal import CChecksum

/// The events of a group with their chain values and checksums, ready to be appended to the log.
package struct SealedEvents {
    private let staged: StagedEvents
    /// The position after the last event.
    package let end: Position

    var isEmpty: Bool { staged.count == 0 }
    var count: Int { staged.count }
    /// The bytes of all events.
    var byteCount: Int { (0..<staged.count).reduce(0) { $0 + Int(staged.events[$1].length) } }
    var first: SequenceNumber { SequenceNumber(staged.start.sequence.value + 1) }
    var schemaVersions: [(version: UInt32, sequence: SequenceNumber)] { staged.schemaVersions }

    /// Seals every event of `staged`. The events do not change afterwards.
    ///
    /// - Parameter commitEnds: For each commit, the index after its last event; ascending.
    package init(sealing staged: StagedEvents, commitEnds: [Int]) {
        self.staged = staged
        precondition(commitEnds.last ?? 0 == staged.count, "every event belongs to a commit")
        for end in commitEnds where end > 0 {
            let flags = staged.arena.base + staged.events[end - 1].start + EventFormat.Offset.flags
            let value = UnsafeRawPointer(flags).load(0, as: UInt16.self)
            flags.store(value | EventFlags.lastInCommit.rawValue, at: 0)
        }
        var chain = staged.start.chain
        var index = 0
        // Each chain value depends on the one before it. The checksums of the bodies do not, so that three are computed
        // at a time.
        while index + 3 <= staged.count {
            var first = staged.body(at: index)
            var second = staged.body(at: index + 1)
            var third = staged.body(at: index + 2)
            tidelog_crc32c_three(&first, &second, &third)
            chain = staged.seal(at: index, bodyCRC: first.crc, after: chain)
            chain = staged.seal(at: index + 1, bodyCRC: second.crc, after: chain)
            chain = staged.seal(at: index + 2, bodyCRC: third.crc, after: chain)
            index += 3
        }
        while index < staged.count {
            let body = staged.body(at: index)
            let crc = tidelog_crc32c(0, body.bytes, body.length)
            chain = staged.seal(at: index, bodyCRC: crc, after: chain)
            index += 1
        }
        assert(index == staged.count, "every event is sealed")
        end = Position(sequence: SequenceNumber(staged.start.sequence.value + UInt64(staged.count)), chain: chain)
    }

    /// Passes the sequence number and the bytes of each event to `body`, in order.
    @inline(__always)
    package func forEach(_ body: (UInt64, UnsafeRawBufferPointer) throws -> Void) rethrows {
        var sequence = staged.start.sequence.value
        for index in 0..<staged.count {
            sequence += 1
            try body(sequence, staged.arena[staged.events[index].range])
        }
    }
}

extension StagedEvents {
    /// The bytes that the checksum of the event at `index` covers.
    @inline(__always)
    fileprivate func body(at index: Int) -> tidelog_crc32c_run {
        let event = events[index]
        assert(Int(event.length) >= EventFormat.headerByteCount, "an event has a header")
        return tidelog_crc32c_run(
            bytes: UnsafeRawPointer(arena.base + event.start + EventFormat.bodyOffset),
            length: Int(event.length) - EventFormat.bodyOffset, crc: 0)
    }

    /// Completes the event at `index`, whose body has the checksum `bodyCRC`. The event before it has the chain value
    /// `previous`. Returns the chain value of the event.
    @inline(__always)
    fileprivate func seal(at index: Int, bodyCRC: UInt32, after previous: UInt64) -> UInt64 {
        let event = events[index]
        assert(event.range.upperBound <= arena.count, "an event lies inside the arena")
        let seal = Checksum.seal(bodyCRC: bodyCRC, length: event.length, after: previous)
        let base = arena.base + event.start
        base.store(seal.chain, at: EventFormat.Offset.chain)
        base.store(seal.checksum, at: EventFormat.Offset.checksum)
        return seal.chain
    }
}

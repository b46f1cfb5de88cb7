/// A group's events, complete with chain and checksum: what the log appends.
struct SealedEvents {
    private let staged: StagedEvents
    /// The place after the last event.
    let end: Position

    var isEmpty: Bool { staged.count == 0 }
    var first: SequenceNumber { SequenceNumber(staged.start.sequence.value + 1) }
    var schemaVersions: [(version: UInt32, sequence: SequenceNumber)] { staged.schemaVersions }

    /// Seals every event of `staged`. Nothing of them changes afterwards.
    ///
    /// - Parameter commitEnds: The indexes one past each commit's last event, ascending.
    init(sealing staged: StagedEvents, commitEnds: [Int]) {
        self.staged = staged
        for end in commitEnds where end > 0 {
            let flags = staged.arena.base + staged.events[end - 1].start + EventFormat.Offset.flags
            let value = UnsafeRawPointer(flags).load(0, as: UInt16.self)
            flags.store(value | EventFlags.lastInCommit.rawValue, at: 0)
        }
        var chain = staged.start.chain
        for index in 0..<staged.count {
            let event = staged.events[index]
            let base = staged.arena.base + event.start
            let body = UnsafeRawBufferPointer(
                start: base + EventFormat.bodyOffset, count: Int(event.length) - EventFormat.bodyOffset)
            let seal = Checksum.seal(body: body, length: event.length, after: chain)
            chain = seal.chain
            base.store(seal.chain, at: EventFormat.Offset.chain)
            base.store(seal.checksum, at: EventFormat.Offset.checksum)
        }
        end = Position(
            sequence: SequenceNumber(staged.start.sequence.value + UInt64(staged.count)), chain: chain)
    }

    /// Hands each event's sequence number and bytes to `body`, in order.
    @inline(__always)
    func forEach(_ body: (UInt64, UnsafeRawBufferPointer) throws -> Void) rethrows {
        var sequence = staged.start.sequence.value
        for index in 0..<staged.count {
            sequence += 1
            try body(sequence, staged.arena[staged.events[index].range])
        }
    }
}

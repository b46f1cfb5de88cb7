/// What identifies a mutation across resends: the event that asked for it.
public struct MutationID: Sendable, Hashable {
    /// The incarnation of the store that appended the event.
    public let incarnation: UInt64
    /// The event.
    public let sequence: SequenceNumber

    /// The mutation that the event at `sequence` of `incarnation` asks for.
    public init(incarnation: UInt64, sequence: SequenceNumber) {
        self.incarnation = incarnation
        self.sequence = sequence
    }
}

/// Which mutation an event answers, and how far the outbox is answered with it.
public struct Answer: Sendable, Hashable {
    /// The mutation that is answered.
    public var mutation: MutationID
    /// The outbox's position after the answer.
    public var outboxPosition: SequenceNumber

    /// The answer to `mutation`.
    public init(mutation: MutationID, outboxPosition: SequenceNumber) {
        self.mutation = mutation
        self.outboxPosition = outboxPosition
    }
}

extension Answer {
    /// The answer whose section's bytes (FORMATS, section 3) these are, `nil` if they are none.
    init?(encoded bytes: UnsafeRawBufferPointer) {
        guard bytes.count == EventFormat.answerSectionByteCount, let base = bytes.baseAddress else { return nil }
        let pointer = UnsafeRawPointer(base)
        self.init(
            mutation: MutationID(
                incarnation: pointer.load(0, as: UInt64.self),
                sequence: SequenceNumber(pointer.load(8, as: UInt64.self))),
            outboxPosition: SequenceNumber(pointer.load(16, as: UInt64.self)))
    }

    /// The section's bytes (FORMATS, section 3).
    var encoded: [UInt8] {
        mutation.incarnation.littleEndianBytes + mutation.sequence.value.littleEndianBytes
            + outboxPosition.value.littleEndianBytes
    }
}

/// A server's answer to a mutation, with the outbox's position after it.
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

    /// Decodes the bytes of the section (FORMATS, section 3), or returns `nil` if they are not an answer.
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
        var bytes: [UInt8] = []
        bytes.reserveCapacity(EventFormat.answerSectionByteCount)
        bytes.append(littleEndian: mutation.incarnation)
        bytes.append(littleEndian: mutation.sequence.value)
        bytes.append(littleEndian: outboxPosition.value)
        return bytes
    }
}

/// The last mutation that a server has answered, as the log's events show.
package struct AnsweredMutations {
    /// The outbox's position after the last answer.
    package private(set) var last = SequenceNumber.zero

    package init() {}

    /// Adds an event.
    package mutating func note(_ event: EventView) {
        if let answer = event.answer { last = max(last, answer.outboxPosition) }
    }
}

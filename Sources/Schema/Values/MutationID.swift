/// The identity of a mutation, which is the same each time the mutation is sent: the event that requested it.
public struct MutationID: Sendable, Hashable {
    /// The incarnation of the store that appended the event.
    public let incarnation: UInt64
    /// The event.
    public let sequence: SequenceNumber

    /// The identity of the mutation that the event at `sequence` of `incarnation` requested.
    public init(incarnation: UInt64, sequence: SequenceNumber) {
        self.incarnation = incarnation
        self.sequence = sequence
    }
}

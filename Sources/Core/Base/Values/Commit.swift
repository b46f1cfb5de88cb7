/// The outcome of one write: the events it appended.
public struct Commit: Sendable, Hashable {
    /// The first event, or the one that would have come next if nothing was appended.
    public let first: SequenceNumber
    /// The last event; one before ``first`` if nothing was appended.
    public let last: SequenceNumber

    /// The events `first` … `last`.
    public init(first: SequenceNumber, last: SequenceNumber) {
        precondition(last.value + 1 >= first.value, "a commit's last event is not before its first")
        self.first = first
        self.last = last
    }

    /// How many events were appended.
    public var eventCount: Int { Int(last.value + 1 - first.value) }

    /// Whether nothing was appended, because nothing was to change.
    public var isEmpty: Bool { eventCount == 0 }
}

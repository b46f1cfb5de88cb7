/// The result of one write: the events that it appended.
public struct Commit: Sendable, Hashable {
    /// The first appended event. If nothing was appended, the number that the next event would have had.
    public let first: SequenceNumber
    /// The last appended event. If nothing was appended, one less than ``first``.
    public let last: SequenceNumber

    /// A commit with the events `first` … `last`.
    public init(first: SequenceNumber, last: SequenceNumber) {
        precondition(last.value + 1 >= first.value, "a commit's last event is not before its first")
        self.first = first
        self.last = last
    }

    /// The number of appended events.
    public var eventCount: Int { Int(last.value + 1 - first.value) }

    /// Whether nothing was appended, because there was nothing to change.
    public var isEmpty: Bool { eventCount == 0 }
}

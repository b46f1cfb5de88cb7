/// The sequence number of an event: its place in the log. Numbers begin at 1 and are never used again. The number 0 is
/// the place before the first event.
public struct SequenceNumber: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The number.
    public let value: UInt64

    /// The sequence number `value`.
    @inline(__always)
    public init(_ value: UInt64) { self.value = value }

    /// The place before the first event.
    public static let zero = SequenceNumber(0)

    /// Whether `left` comes before `right`.
    public static func < (left: SequenceNumber, right: SequenceNumber) -> Bool { left.value < right.value }

    /// The number in decimal.
    public var description: String { String(value) }
}

/// A position in the history of one log: a sequence number and the log's chain value there.
public struct Position: Sendable, Hashable {
    /// The last event before the position.
    public let sequence: SequenceNumber
    /// The chain value after that event.
    public let chain: UInt64

    /// The position after `sequence`.
    public init(sequence: SequenceNumber, chain: UInt64) {
        self.sequence = sequence
        self.chain = chain
    }

    /// The position before the first event of every log.
    public static let start = Position(sequence: .zero, chain: 0)
}

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

/// The durability of a store: when a write is acknowledged.
public enum Durability: UInt8, Sendable, Hashable, CaseIterable {
    /// An acknowledged write survives a power loss. Each group needs one sync. This is the default.
    case full = 0
    /// An acknowledged write survives the end of the process. A power loss may remove the last commits, but does not
    /// damage the store. Writes do not sync.
    case relaxed = 1

    /// The name for the command line.
    public var name: String {
        switch self {
        case .full: "full"
        case .relaxed: "relaxed"
        }
    }
}

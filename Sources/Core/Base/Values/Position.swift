/// A place in one particular history: a sequence number and the log's chain value there.
public struct Position: Sendable, Hashable {
    /// The last event before the place.
    public let sequence: SequenceNumber
    /// The chain value after that event.
    public let chain: UInt64

    /// The place after `sequence`.
    public init(sequence: SequenceNumber, chain: UInt64) {
        self.sequence = sequence
        self.chain = chain
    }

    /// The place before the first event of every log.
    public static let start = Position(sequence: .zero, chain: 0)
}

/// When an append is safe.
public enum Durability: UInt8, Sendable, Hashable, CaseIterable {
    /// An acknowledged write survives power loss: one sync a group. The default.
    case full = 0
    /// An acknowledged write survives the process; power loss may undo the last commits, never corrupt. No write syncs.
    case relaxed = 1

    /// The name on the command line.
    public var name: String {
        switch self {
        case .full: "full"
        case .relaxed: "relaxed"
        }
    }
}

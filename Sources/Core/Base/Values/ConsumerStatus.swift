/// How far a consumer has come.
public struct ConsumerStatus: Sendable, Hashable {
    /// The consumer's name.
    public let name: String
    /// The last event that it has advanced over.
    public let position: Position
    /// How many sequence numbers it is behind the log's head.
    public let lag: UInt64

    /// The consumer called `name` at `position`, `lag` behind.
    public init(name: String, position: Position, lag: UInt64) {
        self.name = name
        self.position = position
        self.lag = lag
    }
}

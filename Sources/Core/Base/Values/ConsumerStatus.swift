/// The position of a consumer and its lag.
public struct ConsumerStatus: Sendable, Hashable {
    /// The consumer's name.
    public let name: String
    /// The position after the last event that the consumer has advanced past.
    public let position: Position
    /// The number of sequence numbers from the consumer's position to the log's head.
    public let lag: UInt64

    /// The status of the consumer called `name`, at `position` and with the given lag.
    public init(name: String, position: Position, lag: UInt64) {
        self.name = name
        self.position = position
        self.lag = lag
    }
}

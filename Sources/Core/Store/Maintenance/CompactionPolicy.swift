/// The conditions under which a store compacts its log automatically, so that the log does not grow without a limit.
///
/// An automatic compaction keeps the same events as
/// ``DataStore/compact(retain:tombstoneAge:maximumConsumerLag:shrink:progress:)``, and waits for every consumer. Free
/// room in the file is used again, but the file does not shrink.
public struct CompactionPolicy: Sendable, Hashable {
    /// The least number of bytes that events take in the log before it is compacted.
    public var minimumByteCount: Int
    /// The fraction of the events, from 0 to 1, that later events must have superseded.
    public var supersededFraction: Double
    /// The least time for which the deletion of a record is remembered.
    public var tombstoneAge: Duration
    /// The time without writes after which a compaction may begin.
    public var idleTime: Duration

    /// Creates a policy. Each omitted value is the same as in ``automatic``.
    public init(
        minimumByteCount: Int = 64 << 20, supersededFraction: Double = 0.5,
        tombstoneAge: Duration = .seconds(30 * 86_400), idleTime: Duration = .seconds(1)
    ) {
        self.minimumByteCount = minimumByteCount
        self.supersededFraction = supersededFraction
        self.tombstoneAge = tombstoneAge
        self.idleTime = idleTime
    }

    /// The default policy. The log is compacted when events take 64 MiB, more than half of them are superseded, and no
    /// write has happened for a second.
    public static let automatic = CompactionPolicy()
}

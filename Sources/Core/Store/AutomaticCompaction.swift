/// When a store compacts its log by itself: its growth is bounded by policy, never by luck.
///
/// What is kept is what ``DataStore/compact(retain:tombstoneAge:maximumConsumerLag:shrink:progress:)`` keeps; every consumer
/// is waited for. Room inside the file is used again; the file does not shrink.
public struct CompactionPolicy: Sendable, Hashable {
    /// The bytes that events take in the log before it is compacted.
    public var minimumByteCount: Int
    /// The part of the events, from 0 to 1, that must have been superseded by later ones.
    public var supersededFraction: Double
    /// How long the deletion of a record is remembered at least.
    public var tombstoneAge: Duration
    /// How long nobody must have written.
    public var idleTime: Duration

    /// A policy; what is not given is as in ``automatic``.
    public init(
        minimumByteCount: Int = 64 << 20, supersededFraction: Double = 0.5,
        tombstoneAge: Duration = .seconds(30 * 86_400), idleTime: Duration = .seconds(1)
    ) {
        self.minimumByteCount = minimumByteCount
        self.supersededFraction = supersededFraction
        self.tombstoneAge = tombstoneAge
        self.idleTime = idleTime
    }

    /// Once events take 64 MiB and more than half of them were superseded, after a second without a write.
    public static let automatic = CompactionPolicy()
}

/// Watches one generation's log, and compacts it by the policy. Ends with the generation.
struct AutomaticCompaction: Sendable {
    private let generation: Generation
    private let writer: Writer
    private let policy: CompactionPolicy

    /// At least as many events come between two looks at the log.
    private static let stepEventCount = 1_000

    /// Begins to watch, if there is a policy and a writer.
    static func start(_ generation: Generation, _ policy: CompactionPolicy?) {
        guard let policy, let writer = generation.writer else { return }
        let watch = AutomaticCompaction(generation: generation, writer: writer, policy: policy)
        Task.detached(priority: .background) { try await watch.run() }
    }

    /// - Throws: what the generation's feed ends with.
    private func run() async throws {
        let feed = generation.feed
        // After a compaction, until the log has grown by half again: what it left is needed.
        var smallest = policy.minimumByteCount
        while true {
            try await waitUntilIdle()
            let head = feed.head
            var eventCount = 0
            // Whatever fails here is tried again later.
            if let size = try? size() {
                eventCount = size.eventCount
                if size.byteCount >= smallest, (try? isWorthwhile(size.eventCount)) ?? false {
                    let dropped = try? await DataStore.dropSuperseded(
                        generation, writer, tombstoneAge: policy.tombstoneAge, maximumConsumerLag: nil, progress: nil)
                    let keptPart = Double(size.eventCount - (dropped?.count ?? 0)) / Double(size.eventCount)
                    smallest = Swift.max(policy.minimumByteCount, Int(1.5 * keptPart * Double(size.byteCount)))
                }
            }
            let step = UInt64(Swift.max(Self.stepEventCount, eventCount / 8))
            try await feed.wait(for: SequenceNumber(head.value + step))
        }
    }

    private func waitUntilIdle() async throws {
        var head: SequenceNumber
        repeat {
            head = generation.feed.head
            try await Task.sleep(for: policy.idleTime)
            if let reason = generation.feed.endReason { throw reason }
        } while generation.feed.head != head
    }

    private func size() throws -> (byteCount: Int, eventCount: Int) {
        try generation.log.withReader { (try $0.eventByteCount(), try $0.eventCount()) }
    }

    /// Whether enough of the events are of records that have a later one.
    private func isWorthwhile(_ eventCount: Int) throws -> Bool {
        let snapshot = try StoreSnapshot(generation, generation.rows.snapshot())
        defer { snapshot.end() }
        let rowCount = try generation.layout.models.reduce(0) { try $0 + snapshot.count($1.name) }
        return Double(eventCount - rowCount) > policy.supersededFraction * Double(eventCount)
    }
}

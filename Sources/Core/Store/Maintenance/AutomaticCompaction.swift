/// Watches the log of one generation, and compacts it by the policy. The watch ends with the generation.
struct AutomaticCompaction: Sendable {
    private let generation: Generation
    private let writer: Writer
    private let policy: CompactionPolicy

    /// The least number of events between two checks of the log.
    private static let stepEventCount = 1_000

    /// Begins the watch, if there is a policy and a writer.
    static func start(_ generation: Generation, _ policy: CompactionPolicy?) {
        guard let policy, let writer = generation.writer else { return }
        let watch = AutomaticCompaction(generation: generation, writer: writer, policy: policy)
        Task.detached(priority: .background) { try await watch.run() }
    }

    /// - Throws: The error that the generation's feed ends with.
    private func run() async throws {
        let feed = generation.feed
        // After a compaction, the next one waits until the log is half as large again, because the remaining events are needed.
        var smallest = policy.minimumByteCount
        while true {
            try await waitUntilIdle()
            let last = feed.published
            var eventCount = 0
            // After any error the next round tries again.
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
            try await feed.wait(for: SequenceNumber(last.value + step))
        }
    }

    private func waitUntilIdle() async throws {
        var last: SequenceNumber
        repeat {
            last = generation.feed.published
            try await Task.sleep(for: policy.idleTime)
            if let reason = generation.feed.endReason { throw reason }
        } while generation.feed.published != last
    }

    private func size() throws -> (byteCount: Int, eventCount: Int) {
        try generation.log.withReader { (try $0.eventByteCount(), try $0.eventCount()) }
    }

    /// Whether enough events are superseded by later events of the same record.
    private func isWorthwhile(_ eventCount: Int) throws -> Bool {
        let snapshot = try StoreSnapshot(generation, generation.rows.snapshot())
        defer { snapshot.end() }
        let rowCount = try generation.layout.models.reduce(0) { try $0 + snapshot.count(Record.all(of: $1.name)) }
        return Double(eventCount - rowCount) > policy.supersededFraction * Double(eventCount)
    }
}

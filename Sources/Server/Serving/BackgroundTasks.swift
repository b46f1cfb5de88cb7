internal import TidelogCore

/// The background tasks of a server. They send changes and keep-alive messages to subscribers, and purge old tombstones.
final class BackgroundTasks: Sendable {
    private let feed: SubscriberFeed
    private let tasks: [Task<Void, Never>]

    init(
        _ store: any VersionedStore, feed: SubscriberFeed, realTime: RealTimeEndpoint, tombstoneAge: Int64,
        clock: @escaping @Sendable () -> Int64, notice: @escaping @Sendable (String) -> Void
    ) {
        self.feed = feed
        tasks = [
            Task { await realTime.run() },
            Task { await Self.purge(store, olderThan: tombstoneAge, clock, notice) },
        ]
    }

    /// Ends the tasks.
    func stop() async {
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        await feed.stop()
    }

    /// Purges tombstones that are older than `age` milliseconds. The pause between two purges is a tenth of the age, but at
    /// least a second and at most an hour.
    private static func purge(
        _ store: any VersionedStore, olderThan age: Int64, _ clock: @Sendable () -> Int64,
        _ notice: @Sendable (String) -> Void
    ) async {
        let pause = Duration.milliseconds(min(max(age / 10, 1_000), 3_600_000))
        while !Task.isCancelled {
            do {
                try await store.purge(before: clock() - age)
            } catch is CancellationError {
                return
            } catch {
                notice("Old tombstones could not be removed: \(error)")
            }
            try? await Task.sleep(for: pause)
        }
    }
}

internal import TidelogPlatform
internal import TidelogSynchronization

/// Decides whether a caller of a synced store may run its own write. Its thread then waits for the sync.
///
/// Switching to the writer's thread and back takes up to a third of a write if the device is fast. Not switching is worth a
/// waiting thread of the cooperative pool only if no other caller could share the sync, and if the wait is short.
final class LoneCaller: Sendable {
    /// After a longer group, the next write does not run on the thread of its caller.
    static let longestGroup = Duration.microseconds(500)
    /// After so many groups with one write each, no other caller is expected.
    static let enoughGroups = 8

    private let place: Place
    /// How many groups with one write each were the last ones.
    private let groupCount = Atomic<Int>(0)
    /// Whether the last group was short.
    private let wasShort = Atomic<Bool>(false)

    /// A place for one caller that waits for a sync. All stores of a process share a place, so that the other threads of the
    /// cooperative pool are free.
    final class Place: Sendable {
        static let shared = Place(hasOtherThreads: Platform.processorCount > 1)

        fileprivate let isTaken = Atomic<Bool>(false)
        fileprivate let hasOtherThreads: Bool

        /// - Parameter hasOtherThreads: Whether the pool has more than one thread.
        init(hasOtherThreads: Bool) { self.hasOtherThreads = hasOtherThreads }
    }

    init(_ place: Place = .shared) { self.place = place }

    /// Returns whether the caller may run its own write. If so, ``end()`` must follow.
    func begin() -> Bool {
        guard
            place.hasOtherThreads, wasShort.load(ordering: .relaxed),
            groupCount.load(ordering: .relaxed) >= Self.enoughGroups
        else { return false }
        return !place.isTaken.exchange(true, ordering: .relaxed)
    }

    func end() { place.isTaken.store(false, ordering: .relaxed) }

    /// Runs `group`, which has `writeCount` writes.
    func observe<Result>(writeCount: Int, _ group: () -> Result) -> Result {
        let began = ContinuousClock.now
        let result = group()
        note(writeCount: writeCount, ContinuousClock.now - began)
        return result
    }

    /// Notes that a group with `writeCount` writes took `duration`.
    func note(writeCount: Int, _ duration: Duration) {
        wasShort.store(duration <= Self.longestGroup, ordering: .relaxed)
        groupCount.store(writeCount == 1 ? groupCount.load(ordering: .relaxed) + 1 : 0, ordering: .relaxed)
    }
}

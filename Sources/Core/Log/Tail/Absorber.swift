internal import Dispatch
internal import TidelogSynchronization

/// Makes the environment absorb the tail: when one of the tail's files is full, and after a time without writes.
final class Absorber: Sendable {
    private let environment: EnvironmentWriter
    private let state = Mutex(State())

    private struct State {
        /// Whether the tail will be absorbed after a time without writes.
        var isDue = false
        /// Whether the tail is being absorbed because a file is full.
        var isUnderWay = false
        var isStopped = false
        var lastGroup = ContinuousClock.now
    }

    /// The time without writes after which the tail is absorbed.
    private static let pause = Duration.milliseconds(500)

    init(_ environment: EnvironmentWriter) { self.environment = environment }

    /// Notes that a group was written to the tail. Makes the environment absorb the tail in time, on a thread of the system.
    ///
    /// - Parameters:
    ///   - isHalfFull: Whether one of the tail's files is full.
    ///   - memory: The memory of the tail. The part that is kept for future groups returns to the system after a time
    ///     without writes.
    func noteGroup(isHalfFull: Bool, memory: TailSegment.Memory) {
        let now = ContinuousClock.now
        let (startsNow, startsLater) = state.withLock { state -> (Bool, Bool) in
            state.lastGroup = now
            guard !state.isStopped else { return (false, false) }
            let startsNow = isHalfFull && !state.isUnderWay
            if startsNow { state.isUnderWay = true }
            defer { state.isDue = true }
            return (startsNow, !state.isDue)
        }
        if startsNow {
            DispatchQueue.global().async { [weak self] in
                guard let self else { return }
                _ = try? environment.absorb()
                state.withLock { $0.isUnderWay = false }
            }
        }
        if startsLater { absorbWhenIdle(after: Self.pause, memory) }
    }

    /// Absorbs the tail after `pause`, or later if a group is written in between.
    private func absorbWhenIdle(after pause: Duration, _ memory: TailSegment.Memory) {
        DispatchQueue.global().asyncAfter(deadline: .now() + pause / .seconds(1)) { [weak self, weak memory] in
            guard let self, let memory else { return }
            let now = ContinuousClock.now
            let rest = state.withLock { state -> Duration? in
                guard !state.isStopped else { return nil }
                let rest = Self.pause - (now - state.lastGroup)
                if rest <= .zero { state.isDue = false }
                return rest
            }
            guard let rest else { return }
            if rest > .zero { return absorbWhenIdle(after: rest, memory) }
            _ = try? environment.absorb()
            memory.release()
        }
    }

    /// Stops the absorber. After this call it begins no work.
    func stop() { state.withLock { $0.isStopped = true } }
}

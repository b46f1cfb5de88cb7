internal import TidelogSynchronization

/// A clock whose time a test sets. A server with this clock sets the times of records by it. While the clock stands still, all
/// changes have the same time.
package final class HandSetClock: Sendable {
    private let state = Mutex<(now: Int64, step: Int64)>((1_700_000_000_000, 0))

    package init() {}

    /// The time in milliseconds since 1970-01-01T00:00:00Z.
    package var now: Int64 {
        get { state.withLock { $0.now } }
        set { state.withLock { $0.now = newValue } }
    }

    /// The milliseconds by which each reading of the clock moves it. They may be negative.
    package var step: Int64 {
        get { state.withLock { $0.step } }
        set { state.withLock { $0.step = newValue } }
    }

    /// Reads the clock.
    package var read: @Sendable () -> Int64 {
        { [self] in
            state.withLock { state in
                state.now += state.step
                return state.now
            }
        }
    }
}

internal import TidelogPlatform

/// The machine's clock. It gives the times of events and the age of tombstones, but never an order.
package enum WallClock {
    /// The microseconds since 1970-01-01T00:00:00Z.
    package static func microsecondsSince1970() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }
}

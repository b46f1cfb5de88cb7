/// The time to wait before the next try: a random part of a time that doubles up to a bound ("full jitter").
package struct Backoff: Sendable, Hashable {
    /// The bound of the first wait in milliseconds.
    package var first: Int64
    /// The bound of every wait in milliseconds.
    package var maximum: Int64

    package init(first: Int64 = 200, maximum: Int64 = 60_000) {
        precondition(first > 0 && maximum >= first, "waits are longer than nothing, and have a bound")
        (self.first, self.maximum) = (first, maximum)
    }

    /// The milliseconds to wait after the failure with the number `failure`, counted from 1.
    ///
    /// - Parameter jitter: A random number, which chooses the part.
    package func wait(after failure: Int, jitter: UInt64) -> Int64 {
        precondition(failure > 0, "failures are counted from 1")
        var bound = first
        for _ in 1..<max(failure, 1) {
            if bound >= maximum / 2 {
                bound = maximum
                break
            }
            bound *= 2
        }
        return Int64(jitter % UInt64(bound)) + 1
    }
}

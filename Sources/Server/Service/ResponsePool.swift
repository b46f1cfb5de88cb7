internal import TidelogSynchronization

/// The bytes of all responses that are being made or sent. The pool limits how much memory clients can make the server use.
final class ResponsePool: Sendable {
    private let limit: Int
    private let used = Atomic<Int>(0)

    /// - Parameter limit: The largest number of bytes of all responses together.
    init(limit: Int) { self.limit = limit }

    /// The current number of bytes of all responses.
    var usedCount: Int { used.load(ordering: .relaxed) }

    fileprivate func take(_ count: Int) -> Bool {
        precondition(count >= 0, "a response does not shrink")
        guard used.wrappingAdd(count, ordering: .relaxed).newValue <= limit else {
            give(count)
            return false
        }
        return true
    }

    fileprivate func give(_ count: Int) {
        let left = used.wrappingSubtract(count, ordering: .relaxed).newValue
        precondition(left >= 0, "only bytes that were taken are given back")
    }

    /// The share of one response in a pool. The bytes return to the pool when the share is released, which happens after the
    /// response was sent.
    final class Share: Sendable {
        private let pool: ResponsePool
        private let count = Atomic<Int>(0)

        init(of pool: ResponsePool) { self.pool = pool }

        deinit { pool.give(count.load(ordering: .relaxed)) }

        /// The number of bytes of the share.
        var byteCount: Int { count.load(ordering: .relaxed) }

        /// Takes `byteCount` more bytes from the pool. Returns whether the pool had enough.
        func take(_ byteCount: Int) -> Bool {
            guard pool.take(byteCount) else { return false }
            count.wrappingAdd(byteCount, ordering: .relaxed)
            return true
        }
    }
}

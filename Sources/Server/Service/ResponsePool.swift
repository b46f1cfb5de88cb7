internal import Synchronization

/// The bytes of all responses that are being made or sent. It bounds the memory that clients make the server take.
final class ResponsePool: Sendable {
    private let limit: Int
    private let used = Atomic<Int>(0)

    /// - Parameter limit: How many bytes all responses may have together.
    init(limit: Int) { self.limit = limit }

    /// The bytes that responses have at the moment.
    var usedCount: Int { used.load(ordering: .relaxed) }

    fileprivate func take(_ count: Int) -> Bool {
        guard used.wrappingAdd(count, ordering: .relaxed).newValue <= limit else {
            give(count)
            return false
        }
        return true
    }

    fileprivate func give(_ count: Int) { used.wrappingSubtract(count, ordering: .relaxed) }
}

/// What one response has of a pool. The bytes go back when nothing holds the share any more: once the response was sent.
final class ResponseShare: Sendable {
    private let pool: ResponsePool
    private let count = Atomic<Int>(0)

    init(of pool: ResponsePool) { self.pool = pool }

    deinit { pool.give(count.load(ordering: .relaxed)) }

    /// The bytes of the share.
    var byteCount: Int { count.load(ordering: .relaxed) }

    /// Takes `byteCount` bytes more; returns whether the pool has them.
    func take(_ byteCount: Int) -> Bool {
        guard pool.take(byteCount) else { return false }
        count.wrappingAdd(byteCount, ordering: .relaxed)
        return true
    }
}

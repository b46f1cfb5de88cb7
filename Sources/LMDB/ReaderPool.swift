internal import TidelogSynchronization

/// A pool of read transactions that are kept open between uses. Renewing a transaction costs much less than beginning one.
/// Only the caller that took a transaction uses it.
public final class ReaderPool: Sendable {
    private let environment: Environment
    private let idle = Mutex(Idle())
    private let isClosed = Atomic<Bool>(false)
    private let maximumIdleCount: Int

    /// The unused transactions, as a list through ``ReadTransaction/nextIdle``.
    private struct Idle {
        var first: ReadTransaction?
        var count = 0

        mutating func pop() -> ReadTransaction? {
            guard let reader = first else { return nil }
            first = reader.nextIdle.take()
            count -= 1
            return reader
        }

        mutating func push(_ reader: ReadTransaction) {
            reader.nextIdle = first.take()
            first = reader
            count += 1
        }
    }

    /// A pool for `environment` that keeps at most `maximumIdleCount` unused transactions.
    public init(_ environment: Environment, maximumIdleCount: Int = 16) {
        self.environment = environment
        self.maximumIdleCount = maximumIdleCount
    }

    /// Takes a transaction that shows the last commit. Return it with ``give(_:)``.
    public func take() throws(LMDBError) -> ReadTransaction {
        guard let reader = idle.withLock({ $0.pop() }) else { return try environment.beginRead() }
        try reader.renew()
        return reader
    }

    /// Returns a transaction to the pool. Its pointers and cursors become invalid.
    public func give(_ reader: ReadTransaction) {
        reader.reset()
        let isKept = idle.withLock { idle in
            guard idle.count < maximumIdleCount, !isClosed.load(ordering: .relaxed) else { return false }
            idle.push(reader)
            return true
        }
        if !isKept { reader.end() }
    }

    /// Ends all unused transactions. Later uses begin new transactions.
    public func drain() {
        while let reader = idle.withLock({ $0.pop() }) { reader.end() }
    }

    /// Ends all unused transactions, and from now on each returned transaction, so that the environment's files can be closed.
    public func close() {
        isClosed.store(true, ordering: .relaxed)
        drain()
    }

    /// Calls `body` with a transaction that shows the last commit.
    @inline(__always)
    public func withReader<Result>(_ body: (ReadTransaction) throws -> Result) throws -> Result {
        let reader = try take()
        defer { give(reader) }
        return try body(reader)
    }
}

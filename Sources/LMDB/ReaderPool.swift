internal import Synchronization

/// Read transactions that are kept open between uses: renewing one costs a fraction of beginning one.
///
/// Sound as `@unchecked Sendable`: the list is guarded by a mutex, and a transaction is used by the caller that took it.
public final class ReaderPool: @unchecked Sendable {
    private let environment: Environment
    private let idle = Mutex<[ReadTransaction]>([])
    private let isClosed = Atomic<Bool>(false)
    private let maximumIdleCount: Int

    /// A pool over `environment` that keeps at most `maximumIdleCount` transactions while they are not in use.
    public init(_ environment: Environment, maximumIdleCount: Int = 16) {
        self.environment = environment
        self.maximumIdleCount = maximumIdleCount
    }

    /// A transaction that looks at the last commit. Hand it back with ``give(_:)``.
    public func take() throws(LMDBError) -> ReadTransaction {
        guard let reader = idle.withLock({ $0.popLast() }) else { return try environment.beginRead() }
        try reader.renew()
        return reader
    }

    /// Takes back a transaction; its pointers and cursors lose their meaning.
    public func give(_ reader: ReadTransaction) {
        reader.reset()
        let isKept = idle.withLock { idle in
            guard idle.count < maximumIdleCount, !isClosed.load(ordering: .relaxed) else { return false }
            idle.append(reader)
            return true
        }
        if !isKept { reader.end() }
    }

    /// Ends all idle transactions; later ones begin again.
    public func drain() {
        let readers = idle.withLock { idle in
            defer { idle = [] }
            return idle
        }
        for reader in readers { reader.end() }
    }

    /// Ends all idle transactions, and from now on every one that is handed back, so that the environment's files can be
    /// closed.
    public func close() {
        isClosed.store(true, ordering: .relaxed)
        drain()
    }

    /// Calls `body` with a transaction that looks at the last commit.
    @inline(__always)
    public func withReader<Result>(_ body: (ReadTransaction) throws -> Result) throws -> Result {
        let reader = try take()
        defer { give(reader) }
        return try body(reader)
    }
}

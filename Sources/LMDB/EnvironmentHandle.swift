internal import CLMDB
internal import Dispatch
internal import Synchronization

/// Owns an open `MDB_env`. The environment and each of its transactions hold on to it; the last one to let go closes
/// it, so that no transaction ever outlives its map.
///
/// Sound as `@unchecked Sendable`: the pointer never changes, LMDB synchronises what it points to, the claim is
/// let go of by the end alone, and everything else is atomic or behind a mutex.
final class EnvironmentHandle: @unchecked Sendable {
    let pointer: OpaquePointer
    let isReadOnly: Bool
    let keyspaces = Mutex(KeyspaceTable())
    /// The table's generation, readable without its lock.
    let keyspaceGeneration = Atomic<Int>(0)
    /// The thread that has the write transaction, 0 for none.
    let writerThread = Atomic<UInt>(0)

    private let stamp: Int
    private let openLock: OpenLock
    private var claim: OpenRegistry.Claim?
    /// Signalled once the files are closed.
    let released = DispatchSemaphore(value: 0)
    /// Running transactions; far below zero while none may begin.
    private let running = Atomic<Int>(0)
    private let isClosed = Atomic<Bool>(false)
    private static let gate = Int.min / 4

    init(pointer: OpaquePointer, isReadOnly: Bool, openLock: OpenLock, claim: OpenRegistry.Claim) {
        self.pointer = pointer
        self.isReadOnly = isReadOnly
        self.openLock = openLock
        self.claim = claim
        stamp = ProcessStamp.current
    }

    deinit {
        // In a forked child, closing would release the parent's readers: leave everything as it is.
        guard isOurs else { return }
        openLock.withLock { mdb_env_close(pointer) }
        claim = nil
        released.signal()
    }

    /// Whether this process opened the environment.
    @inline(__always)
    var isOurs: Bool { stamp == ProcessStamp.current }

    func checkProcess(_ operation: StaticString) throws(LMDBError) {
        guard isOurs else { throw LMDBError(.wrongProcess, operation) }
    }

    /// Counts a transaction in.
    @inline(__always)
    func enter(_ operation: StaticString) throws(LMDBError) {
        try checkProcess(operation)
        if running.wrappingAdd(1, ordering: .acquiring).newValue <= 0 {
            running.wrappingSubtract(1, ordering: .relaxed)
            throw LMDBError(isClosed.load(ordering: .relaxed) ? .closed : .busy, operation)
        }
    }

    /// Counts a transaction out.
    @inline(__always)
    func leave() {
        running.wrappingSubtract(1, ordering: .releasing)
    }

    /// Refuses transactions from now on.
    func close() {
        isClosed.store(true, ordering: .relaxed)
        running.wrappingAdd(Self.gate, ordering: .sequentiallyConsistent)
    }

    /// Runs `body` while exactly `count` transactions run and none can begin, or throws `busy`.
    func withExclusiveAccess<Result>(
        besides count: Int, _ operation: StaticString, _ body: () throws(LMDBError) -> Result
    ) throws(LMDBError) -> Result {
        try checkProcess(operation)
        let (exchanged, _) = running.compareExchange(
            expected: count, desired: count + Self.gate, ordering: .sequentiallyConsistent)
        guard exchanged else { throw LMDBError(.busy, operation, "a transaction is running in this process") }
        defer { running.wrappingSubtract(Self.gate, ordering: .sequentiallyConsistent) }
        return try body()
    }
}

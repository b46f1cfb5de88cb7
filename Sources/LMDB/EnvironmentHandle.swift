internal import CLMDB
internal import Dispatch
internal import TidelogSynchronization

/// The owner of an open `MDB_env`. The environment and all its transactions hold this handle. The last holder that releases it
/// closes the environment, so that no transaction outlives its map.
///
/// Sound as `@unchecked Sendable`, because the pointer never changes, LMDB synchronises its data, only the end
/// releases the claim, and all other state is atomic or protected by a mutex.
final class EnvironmentHandle: @unchecked Sendable {
    let pointer: OpaquePointer
    let isReadOnly: Bool
    let keyspaces = Mutex(KeyspaceTable())
    /// The generation of the keyspace table, which can be read without its lock.
    let keyspaceGeneration = Atomic<Int>(0)
    /// The thread with the write transaction, or 0 if there is none.
    let writerThread = Atomic<UInt>(0)

    private let stamp: Int
    private let openLock: OpenLock
    private var claim: OpenRegistry.Claim?
    /// Signalled after the files are closed.
    let released = DispatchSemaphore(value: 0)
    /// The number of running transactions. It is far below zero while no transaction may begin.
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
        // In a forked child, closing would release the parent's readers, so everything is left unchanged.
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

    /// Counts a transaction that begins.
    @inline(__always)
    func enter(_ operation: StaticString) throws(LMDBError) {
        try checkProcess(operation)
        if running.wrappingAdd(1, ordering: .acquiring).newValue <= 0 {
            running.wrappingSubtract(1, ordering: .relaxed)
            throw LMDBError(isClosed.load(ordering: .relaxed) ? .closed : .busy, operation)
        }
    }

    /// Counts a transaction that ends.
    @inline(__always)
    func leave() { running.wrappingSubtract(1, ordering: .releasing) }

    /// Refuses transactions from now on.
    func close() {
        isClosed.store(true, ordering: .relaxed)
        running.wrappingAdd(Self.gate, ordering: .sequentiallyConsistent)
    }

    /// Runs `body` while exactly `count` transactions are running and none can begin. Throws `busy` if more are running.
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

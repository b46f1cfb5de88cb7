internal import CLMDB
internal import Dispatch
internal import TidelogPlatform
internal import TidelogSynchronization

/// The owner of an open `MDB_env`. The environment and all its transactions hold this handle. The last holder that releases it
/// closes the environment, so that no transaction outlives its map.
///
/// Sound as `@unchecked Sendable`, because the pointer never changes, LMDB synchronises its data, only the end
/// releases the claim, and all other state is atomic or protected by a mutex.
final class EnvironmentHandle: @unchecked Sendable {
    let pointer: OpaquePointer
    let isReadOnly: Bool
    /// The number of bytes of a page of the data file.
    let pageSize: Int
    /// The same number if each page in the map begins at a multiple of it, because the map begins at a page of the system.
    /// Otherwise `nil`.
    var alignedPageSize: Int? { Int(sysconf(Int32(_SC_PAGESIZE))).isMultiple(of: pageSize) ? pageSize : nil }
    let keyspaces = Mutex(KeyspaceTable())
    /// The generation of the keyspace table, which can be read without its lock.
    let keyspaceGeneration = Atomic<Int>(0)
    /// The thread with the write transaction, or 0 if there is none.
    let writerThread = Atomic<UInt>(0)
    /// Whether a write transaction did not fit in the map.
    let hasFullMap = Atomic<Bool>(false)

    private let stamp: Int
    private let openLock: OpenLock
    private var claim: OpenRegistry.Claim?
    /// Signalled after the files are closed.
    let released = DispatchSemaphore(value: 0)
    /// The number of running transactions. It is far below zero while no transaction may begin.
    private let running = Atomic<Int>(0)
    private let isClosed = Atomic<Bool>(false)
    /// Whether the system refused a new map after the old one was removed. LMDB then has no map.
    private let hasLostMap = Atomic<Bool>(false)
    private static let gate = Int.min / 4

    init(
        pointer: OpaquePointer, isReadOnly: Bool, pageSize: Int, openLock: OpenLock, claim: OpenRegistry.Claim
    ) {
        self.pointer = pointer
        self.isReadOnly = isReadOnly
        self.pageSize = pageSize
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
            throw refusal(operation)
        }
    }

    /// The reason why no transaction may begin.
    @inline(never)
    private func refusal(_ operation: StaticString) -> LMDBError {
        if isClosed.load(ordering: .relaxed) { return LMDBError(.closed, operation) }
        guard hasLostMap.load(ordering: .relaxed) else { return LMDBError(.busy, operation) }
        return LMDBError(.addressSpace, operation, "the map was lost when it had to grow: open the file again")
    }

    /// Counts a transaction that ends.
    @inline(__always)
    func leave() { running.wrappingSubtract(1, ordering: .releasing) }

    /// Refuses transactions from now on.
    func close() {
        isClosed.store(true, ordering: .relaxed)
        running.wrappingAdd(Self.gate, ordering: .sequentiallyConsistent)
    }

    /// Refuses transactions from now on, because LMDB has no map. Called with exclusive access.
    func loseMap() {
        hasLostMap.store(true, ordering: .relaxed)
        running.wrappingAdd(Self.gate, ordering: .sequentiallyConsistent)
    }

    /// Runs `body` while exactly `count` transactions are running and none can begin. Throws `busy` if more are running.
    func withExclusiveAccess<Result>(
        besides count: Int, _ operation: StaticString, _ body: () throws(LMDBError) -> Result
    ) throws(LMDBError) -> Result {
        try checkProcess(operation)
        let (exchanged, _) = running.compareExchange(
            expected: count, desired: count + Self.gate, ordering: .sequentiallyConsistent)
        guard exchanged else {
            let refusal = refusal(operation)
            guard refusal.code == .busy else { throw refusal }
            throw LMDBError(.busy, operation, "a transaction is running in this process")
        }
        defer { running.wrappingSubtract(Self.gate, ordering: .sequentiallyConsistent) }
        return try body()
    }
}

extension EnvironmentHandle {
    /// The open keyspaces of an environment, by name.
    ///
    /// In LMDB, only one transaction at a time may open keyspaces. A transaction that began before another one published its
    /// keyspaces would use the same slot a second time, and write one tree under the other's name. Therefore only one
    /// transaction is the opener at a time, and it must have begun after the last publication.
    struct KeyspaceTable {
        enum Answer {
            /// The keyspace is open. It can be used in transactions that began after it was opened.
            case open(Keyspace)
            /// The keyspace is not open. This transaction is now the opener, and must call ``finish(_:opened:)`` when it ends.
            case mayOpen
            /// Another transaction is the opener, or this transaction is too old.
            case busy
        }

        private var keyspaces: [String: Keyspace] = [:]
        private var opener: ObjectIdentifier?
        private(set) var generation = 0

        mutating func ask(for name: String, by transaction: ObjectIdentifier, begunAt: Int) -> Answer {
            if let keyspace = keyspaces[name] { return .open(keyspace) }
            guard begunAt == generation, opener == nil || opener == transaction else { return .busy }
            opener = transaction
            return .mayOpen
        }

        /// Publishes the keyspaces that the opener opened (none if it aborted). After this, another transaction can be the
        /// opener.
        mutating func finish(_ transaction: ObjectIdentifier, opened: [String: Keyspace]) {
            guard opener == transaction else { return }
            opener = nil
            guard !opened.isEmpty else { return }
            generation += 1
            keyspaces.merge(opened) { _, new in new }
        }

        /// Removes a dropped keyspace.
        mutating func forget(_ keyspace: Keyspace) {
            keyspaces = keyspaces.filter { $0.value != keyspace }
        }
    }
}

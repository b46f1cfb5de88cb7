internal import CLMDB
internal import Dispatch
internal import Synchronization

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// An LMDB environment: one memory-mapped data file with keyspaces, readers that never wait, and one writer.
///
/// The map is never writable, so a stray pointer cannot reach the file. Read transactions are not bound to threads.
/// LMDB's own assertions stay as they are: a structure it cannot go on with is reported on standard error and aborts
/// the process; the file is checked before it is mapped to make that rare.
///
/// Sound as `@unchecked Sendable`: all state is behind a mutex, and LMDB's environment is safe to share.
public final class Environment: @unchecked Sendable {
    /// The directory the environment was opened in.
    public let directory: String

    private let state: Mutex<EnvironmentHandle?>

    /// Opens the environment in `directory`, which must exist (see ``createDirectory(_:)``), and creates it if there
    /// is none. Its files are `data.mdb`, `lock.mdb` and `open.lock`, readable and writable by their owner only.
    ///
    /// Readers of processes that died are cleared. A data file that is damaged is never mapped.
    /// - Throws: `unsafePath` for a directory that another user controls or could write to, for symbolic links and
    ///   irregular files; `networkFileSystem`; `alreadyOpen` if this process has it open; `damagedFile`;
    ///   `versionMismatch`; `fileNotFound`; or what the system answers.
    public init(directory: String, options: Options = Options()) throws(LMDBError) {
        precondition(options.mapSize > 0, "The map's size must be positive.")
        precondition((1...0xFFFF).contains(options.maximumKeyspaces), "There may be 1 to 65,535 keyspaces.")
        precondition((1...0xFFFF).contains(options.maximumReaders), "There may be 1 to 65,535 readers.")
        ProcessStamp.start()
        self.directory = directory
        state = Mutex(try EnvironmentHandle.open(directory: directory, options: options))
    }

    /// Creates a directory that only its owner may use, durably. Its parent must exist.
    /// - Throws: `fileExists` if there is something of that name already, or what the system answers.
    public static func createDirectory(_ path: String) throws(LMDBError) {
        try EnvironmentDirectory.create(path)
    }

    /// The most bytes a key or a keyspace's name may have: 511, unless LMDB was built otherwise.
    public func maximumKeyByteCount() throws(LMDBError) -> Int {
        Int(mdb_env_get_maxkeysize(try handle("read the key limit").pointer))
    }

    /// Closes the environment and refuses transactions from now on. If some still run or are reset, the files are
    /// closed when the last of them ends or is released. Does not sync.
    public func close() {
        let handle = state.withLock { state in
            defer { state = nil }
            return state
        }
        handle?.close()
    }

    /// Closes the environment as ``close()``, and returns once the last transaction has ended and the files are closed, so
    /// that they may be opened again. No transaction of the calling thread is running or reset.
    public func closeAfterTransactions() {
        var handle = state.withLock { $0.take() }
        guard let released = handle?.released else { return }
        handle?.close()
        handle = nil
        released.wait()
    }

    /// Writes every commit down to the device, whatever the policy.
    /// - Throws: any error means that it is unknown which of the commits since the last sync are durable.
    public func sync() throws(LMDBError) {
        let handle = try handle("sync")
        try handle.checkProcess("sync")
        try LMDBError.check(mdb_env_sync(handle.pointer, 1), "sync")
    }

    /// Frees the slots of readers whose processes died, and answers how many there were. Their snapshots would keep
    /// pages from being reused for ever.
    @discardableResult
    public func clearStaleReaders() throws(LMDBError) -> Int {
        let handle = try handle("clear stale readers")
        try handle.checkProcess("clear stale readers")
        var count: Int32 = 0
        try LMDBError.check(mdb_reader_check(handle.pointer, &count), "clear stale readers")
        return Int(count)
    }

    /// Maps `byteCount` bytes from now on, or, with 0, what other processes have grown the map to (after
    /// `mapResized`).
    /// - Throws: `busy` while a transaction of this process runs; those that are reset do no harm. After any other
    ///   error the environment must be closed.
    public func setMapSize(_ byteCount: Int) throws(LMDBError) {
        precondition(byteCount >= 0, "A map's size is not negative.")
        let handle = try handle("set the map size")
        try handle.withExclusiveAccess(besides: 0, "set the map size") { () throws(LMDBError) in
            let size = EnvironmentHandle.wholePages(byteCount)
            try LMDBError.check(mdb_env_set_mapsize(handle.pointer, size), "set the map size")
        }
    }

    /// Begins a read transaction on the last commit. It may move between threads but not be used by two at a time.
    /// - Throws: `readersFull`, `mapResized`, `panic`, `wrongProcess`, `closed`, or `busy` during ``setMapSize(_:)``.
    public func beginRead() throws(LMDBError) -> ReadTransaction {
        try ReadTransaction(try handle("begin reading"))
    }

    /// Begins the write transaction, after waiting for that of another thread or process to end. It belongs to the
    /// calling thread until it ends.
    /// - Throws: `busy` if this thread has one already; `permissionDenied` if the environment is read-only; else as
    ///   ``beginRead()``.
    public func beginWrite() throws(LMDBError) -> WriteTransaction {
        try WriteTransaction(try handle("begin writing"))
    }

    func handle(_ operation: StaticString) throws(LMDBError) -> EnvironmentHandle {
        guard let handle = state.withLock({ $0 }) else { throw LMDBError(.closed, operation) }
        return handle
    }
}

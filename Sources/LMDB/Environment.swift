internal import CLMDB
internal import Dispatch
internal import TidelogPlatform
internal import TidelogSynchronization

/// An LMDB environment: one memory-mapped data file with keyspaces, one writer, and readers that never wait.
///
/// The map is never writable, so a stray pointer cannot change the file. Read transactions are not bound to threads. LMDB's own
/// assertions are active: if LMDB cannot continue with a data structure, it reports that on standard error and aborts the
/// process. To make that rare, the file is checked before it is mapped.
public final class Environment: Sendable {
    /// The directory of the environment.
    public let directory: String

    private let state: Mutex<EnvironmentHandle?>

    /// Opens the environment in `directory`, which must exist (see ``createDirectory(_:)``). Creates the environment if there
    /// is none. Its files are `data.mdb`, `lock.mdb` and `open.lock`. Only their owner can read and write them.
    ///
    /// The slots of readers whose processes have died are freed. A damaged data file is never mapped.
    ///
    /// An environment whose lock files this process cannot write, or whose directory belongs to another user, is read without
    /// LMDB's locks, and its directory is not changed. The caller then makes sure that no process writes the environment as
    /// long as it is open.
    /// - Throws: `unsafePath` for a directory that belongs to another user and is not only read, or that its group or everybody
    ///   can write to, for symbolic links and for irregular files; `networkFileSystem`; `alreadyOpen` if this process has the
    ///   environment open; `damagedFile`; `versionMismatch`; `fileNotFound`; `addressSpace`; or an error of the system.
    public init(directory: String, options: Options = Options()) throws(LMDBError) {
        precondition(options.mapSize.map { $0 > 0 } ?? true, "The map's size must be positive.")
        precondition((1...0xFFFF).contains(options.maximumKeyspaces), "There may be 1 to 65,535 keyspaces.")
        precondition((1...0xFFFF).contains(options.maximumReaders), "There may be 1 to 65,535 readers.")
        ProcessStamp.start()
        self.directory = directory
        state = Mutex(try EnvironmentHandle.open(directory: directory, options: options))
    }

    /// Creates a directory that only its owner can use, and makes it durable. Its parent must exist.
    /// - Throws: `fileExists` if a file or directory with this name exists, or an error of the system.
    public static func createDirectory(_ path: String) throws(LMDBError) {
        try EnvironmentDirectory.create(path)
    }

    /// Closes the environment, which refuses transactions from now on. If transactions are running or reset, the files are
    /// closed after the last of them has ended or was released. This method does not sync.
    public func close() {
        let handle = state.withLock { state in
            defer { state = nil }
            return state
        }
        handle?.close()
    }

    /// Closes the environment like ``close()``, and waits until the last transaction has ended and the files are closed. They
    /// can then be opened again. The calling thread must have no running or reset transaction.
    public func closeAfterTransactions() {
        var handle = state.withLock { $0.take() }
        guard let released = handle?.released else { return }
        handle?.close()
        handle = nil
        released.wait()
    }

    /// Syncs all commits to the device, under any sync policy.
    /// - Throws: After any error, it is unknown which commits since the last sync are durable.
    public func sync() throws(LMDBError) {
        let handle = try handle("sync")
        try handle.checkProcess("sync")
        try LMDBError.check(mdb_env_sync(handle.pointer, 1), "sync")
    }

    /// Frees the slots of readers whose processes have died, and returns the number of these slots. Otherwise, the snapshots of
    /// such readers would prevent the reuse of pages forever.
    @discardableResult
    public func clearStaleReaders() throws(LMDBError) -> Int {
        let handle = try handle("clear stale readers")
        try handle.checkProcess("clear stale readers")
        var count: Int32 = 0
        try LMDBError.check(mdb_reader_check(handle.pointer, &count), "clear stale readers")
        return Int(count)
    }

    /// Begins a read transaction on the last commit. It may move between threads, but two threads must not use it at the same
    /// time.
    /// - Throws: `readersFull`, `mapResized`, `panic`, `wrongProcess`, `closed`, `addressSpace`, or `busy` during
    ///   ``growMap()``.
    public func beginRead() throws(LMDBError) -> ReadTransaction {
        try ReadTransaction(try handle("begin reading"))
    }

    /// Begins the write transaction after the write transactions of other threads and processes have ended. It belongs to the
    /// calling thread until it ends.
    /// - Throws: `busy` if this thread already has a write transaction; `permissionDenied` if the environment is read-only; and
    ///   the errors of ``beginRead()``.
    public func beginWrite() throws(LMDBError) -> WriteTransaction {
        try WriteTransaction(try handle("begin writing"))
    }

    func handle(_ operation: StaticString) throws(LMDBError) -> EnvironmentHandle {
        guard let handle = state.withLock({ $0 }) else { throw LMDBError(.closed, operation) }
        return handle
    }
}

extension Environment {
    /// Writes the last commit to `data.mdb` in another directory and syncs it. The directory must exist and must not contain
    /// such a file.
    ///
    /// Other threads can write during the copy. Pages that they free are not reused before the copy is complete.
    /// - Parameter compacting: Whether to leave out free pages and renumber the used pages. This is slower.
    /// - Throws: `fileExists`, `noSpace`, or another error of the system. After an error, the partial copy is removed.
    public func copy(to directory: String, compacting: Bool = false) throws(LMDBError) {
        let operation: StaticString = "copy the environment"
        let handle = try handle(operation)
        try handle.enter(operation)
        defer { handle.leave() }
        try EnvironmentDirectory.check(directory, isReadOnly: false, allowsNetworkFileSystem: true)
        let path = directory + EnvironmentDirectory.dataFile
        let file = try FileDescriptor(path: path, flags: O_WRONLY | O_CREAT | O_EXCL, operation: operation)
        do throws(LMDBError) {
            let flags = compacting ? UInt32(MDB_CP_COMPACT) : 0
            try LMDBError.check(mdb_env_copyfd2(handle.pointer, file.number, flags), operation)
            try file.synchronize(operation)
            try EnvironmentDirectory.synchronize(directory)
        } catch {
            unlink(path)
            throw error
        }
    }
}

extension Environment {
    /// The options for opening an environment.
    public struct Options: Sendable, Hashable {
        /// The size of the map at first, in bytes, or `nil` for twice the size of the data file and at least 256 MiB. The data
        /// file cannot grow beyond the map, which ``Environment/growMap()`` makes larger. Only addresses are reserved: the file
        /// stays as small as its content. If the system refuses the size, a smaller map is tried, down to the size of the file.
        public var mapSize: Int?

        /// The largest number of keyspaces that may be open at a time. Each of them adds a small cost to every transaction, so
        /// thousands are too many.
        public var maximumKeyspaces: Int

        /// The largest number of read transactions in all processes together, including reset ones. The first process that
        /// opens the environment sets it.
        public var maximumReaders: Int

        /// The time at which a commit reaches the device.
        public var syncPolicy: SyncPolicy

        /// Whether only read transactions may begin.
        public var isReadOnly: Bool

        /// Whether a missing or empty data file is an error. Otherwise, a new environment is created.
        public var requireExisting: Bool

        /// Whether to open the environment even on file systems that may not share locks and maps between machines or
        /// processes.
        public var allowsNetworkFileSystem: Bool

        /// Whether to read every page in use before the file is mapped, instead of only the roots. Use this for a file that was
        /// not synced when the system stopped. It takes as long as reading the whole file.
        public var inspectsEveryPage: Bool

        /// The default options: 256 keyspaces, 510 readers, and a full sync.
        public init(
            mapSize: Int? = nil,
            maximumKeyspaces: Int = 256,
            maximumReaders: Int = 510,
            syncPolicy: SyncPolicy = .full,
            isReadOnly: Bool = false,
            requireExisting: Bool = false,
            allowsNetworkFileSystem: Bool = false,
            inspectsEveryPage: Bool = false
        ) {
            self.mapSize = mapSize
            self.maximumKeyspaces = maximumKeyspaces
            self.maximumReaders = maximumReaders
            self.syncPolicy = syncPolicy
            self.isReadOnly = isReadOnly
            self.requireExisting = requireExisting
            self.allowsNetworkFileSystem = allowsNetworkFileSystem
            self.inspectsEveryPage = inspectsEveryPage
        }
    }
}

extension Environment {
    /// The state of an environment at one moment.
    public struct Information: Sendable, Hashable {
        /// The size of the memory map in bytes. The data file cannot grow beyond it.
        public let mapSize: Int

        /// The number of bytes of a page.
        public let pageSize: Int

        /// The number of the last page in use. Pages are counted from 0.
        public let lastPageNumber: Int

        /// The number of the last committed transaction.
        public let lastTransactionID: UInt64

        /// The largest number of slots of the reader table that were in use at the same time.
        public let readerCount: Int

        /// The number of slots of the reader table.
        public let maximumReaders: Int

        /// The oldest snapshot that a read transaction of any process reads, or `nil` if there is none. Pages that were freed
        /// after it are not reused.
        public let oldestReaderTransactionID: UInt64?
    }

    /// The environment's state.
    /// - Throws: `busy` during ``growMap()``, or `closed`.
    public var information: Information {
        get throws(LMDBError) {
            let operation: StaticString = "read the environment's state"
            let handle = try handle(operation)
            // LMDB reads this from the map, which must not be replaced at the same time.
            try handle.enter(operation)
            defer { handle.leave() }
            var information = MDB_envinfo()
            try LMDBError.check(mdb_env_info(handle.pointer, &information), operation)
            return Information(
                mapSize: information.me_mapsize,
                pageSize: handle.pageSize,
                lastPageNumber: information.me_last_pgno,
                lastTransactionID: UInt64(information.me_last_txnid),
                readerCount: Int(information.me_numreaders),
                maximumReaders: Int(information.me_maxreaders),
                oldestReaderTransactionID: oldestReader(of: handle.pointer))
        }
    }

    /// Whether the data file was removed. If so, this environment no longer sees anything that is written at its path.
    public var isRemoved: Bool {
        get throws(LMDBError) {
            let handle = try handle("look at the data file")
            var descriptor: mdb_filehandle_t = -1
            try LMDBError.check(mdb_env_get_fd(handle.pointer, &descriptor), "look at the data file")
            var status = stat()
            try LMDBError.check(fstat(descriptor, &status) == 0 ? 0 : errno, "look at the data file")
            return status.st_nlink == 0
        }
    }

    private func oldestReader(of pointer: OpaquePointer) -> UInt64? {
        var oldest: UInt64?
        withUnsafeMutablePointer(to: &oldest) { oldest in
            _ = mdb_reader_list(
                pointer,
                { message, context in
                    guard let message, let context else { return 0 }
                    guard let reader = Environment.readerTransactionID(in: message) else { return 0 }
                    let oldest = context.assumingMemoryBound(to: UInt64?.self)
                    oldest.pointee = min(oldest.pointee ?? .max, reader)
                    return 0
                }, oldest)
        }
        return oldest
    }

    /// The last of the three columns process, thread and transaction. It is `nil` in the heading, and for the value `-`.
    private static func readerTransactionID(in line: UnsafePointer<CChar>) -> UInt64? {
        let columns = String(cString: line).split(whereSeparator: { $0 == " " || $0 == "\n" })
        guard columns.count == 3 else { return nil }
        return UInt64(columns[2])
    }
}

internal import CLMDB
internal import TidelogPlatform

/// The error type of this module: the code and the failed operation, but never a key, a value or a path.
public struct LMDBError: Error, Sendable, Hashable {
    /// The code of the error.
    public let code: Code

    /// The operation that failed, for example `commit`.
    public let operation: String

    /// A further description of the error if the code is not enough, for example the damaged page of a file.
    public let reason: String?

    /// An error with this code.
    public init(code: Code, operation: String, reason: String? = nil) {
        self.code = code
        self.operation = operation
        self.reason = reason
    }

    /// Whether the environment can no longer be trusted with writes, because a sync or the write of a meta page failed. Such
    /// errors are thrown by ``WriteTransaction/commit()`` and ``Environment/sync()``. Close the environment, open it again, and
    /// check which transaction was the last to survive. Never repeat a failed sync.
    public var isFatal: Bool {
        code == .panic || code == .ioError || code == .corrupted || code == .pageNotFound
    }
}

extension LMDBError: CustomStringConvertible {
    /// The operation, the code and the reason in one line. It never contains data of the user.
    public var description: String {
        let text = "\(operation): \(code)"
        guard let reason else { return text }
        return "\(text): \(reason)"
    }
}

extension LMDBError {
    /// Throws an error if `result` is not the success of LMDB or of the system.
    @inline(__always)
    static func check(_ result: Int32, _ operation: StaticString) throws(LMDBError) {
        guard result == MDB_SUCCESS else { throw LMDBError(result, operation) }
    }

    /// An error from a result of LMDB, or from an `errno`.
    @inline(never)
    init(_ result: Int32, _ operation: StaticString) {
        self.init(code: Code(rawValue: result), operation: "\(operation)")
    }

    /// An error with a code of this module.
    @inline(never)
    init(_ code: Code, _ operation: StaticString, _ reason: String? = nil) {
        self.init(code: code, operation: "\(operation)", reason: reason)
    }
}

extension LMDBError {
    /// A code of an error: one of LMDB's results (-30799 … -30780), an `errno` (positive), or a code of this module (below
    /// -31000).
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The number of the code in LMDB, in the system or in this module.
        public let rawValue: Int32

        /// A code with this number.
        public init(rawValue: Int32) { self.rawValue = rawValue }
    }
}

extension LMDBError.Code {
    // MARK: Codes of LMDB

    /// The key exists already, or an appended key does not sort after the last one.
    public static let keyExists = Self(rawValue: MDB_KEYEXIST)
    /// There is no such entry. Most calls return `nil` or `false` instead.
    public static let notFound = Self(rawValue: MDB_NOTFOUND)
    /// A page in the tree does not exist: the file is damaged.
    public static let pageNotFound = Self(rawValue: MDB_PAGE_NOTFOUND)
    /// A page of the wrong kind was found: the file is damaged.
    public static let corrupted = Self(rawValue: MDB_CORRUPTED)
    /// An earlier write of a meta page failed. Even for reads, the environment must be closed and opened again.
    public static let panic = Self(rawValue: MDB_PANIC)
    /// The library, the data file, or another process that uses the lock file has a version of LMDB with another format than
    /// LMDB 0.9.
    public static let versionMismatch = Self(rawValue: MDB_VERSION_MISMATCH)
    /// The file is not a file of LMDB.
    public static let invalid = Self(rawValue: MDB_INVALID)
    /// The map is full. The transaction must be aborted. The environment stays usable.
    public static let mapFull = Self(rawValue: MDB_MAP_FULL)
    /// There are more keyspaces than ``Environment/Options/maximumKeyspaces``.
    public static let keyspacesFull = Self(rawValue: MDB_DBS_FULL)
    /// There are more read transactions than ``Environment/Options/maximumReaders``.
    public static let readersFull = Self(rawValue: MDB_READERS_FULL)
    /// The transaction has too many dirty pages.
    public static let transactionFull = Self(rawValue: MDB_TXN_FULL)
    /// A cursor's stack is too small for the tree: the file is damaged.
    public static let cursorFull = Self(rawValue: MDB_CURSOR_FULL)
    /// A page is full although it must have space: the file is damaged.
    public static let pageFull = Self(rawValue: MDB_PAGE_FULL)
    /// Another process has used more pages than the map has here. Call ``Environment/growMap()``.
    public static let mapResized = Self(rawValue: MDB_MAP_RESIZED)
    /// The keyspace does not match the call, for example because its keys are integers.
    public static let incompatible = Self(rawValue: MDB_INCOMPATIBLE)
    /// The transaction ended, was reset, or failed earlier, so that it can only be aborted.
    public static let badTransaction = Self(rawValue: MDB_BAD_TXN)
    /// A key or a keyspace's name is empty or too long, or an integer key does not have 8 bytes.
    public static let badValueSize = Self(rawValue: MDB_BAD_VALSIZE)

    // MARK: Codes of the system

    /// `EIO`: a write or a sync failed. If a commit or a sync throws it, see ``LMDBError/isFatal``.
    public static let ioError = Self(rawValue: EIO)
    /// `ENOSPC`: no space left on the device. The transaction was aborted. The environment stays usable.
    public static let noSpace = Self(rawValue: ENOSPC)
    /// `EDQUOT`: the quota is used up.
    public static let quotaExceeded = Self(rawValue: EDQUOT)
    /// `ENOENT`: the directory or the data file does not exist.
    public static let fileNotFound = Self(rawValue: ENOENT)
    /// `EEXIST`: the file to be created exists.
    public static let fileExists = Self(rawValue: EEXIST)
    /// `EACCES`: permission denied, or a write in a read-only environment.
    public static let permissionDenied = Self(rawValue: EACCES)
    /// `ENOMEM`: out of memory or of address space.
    public static let outOfMemory = Self(rawValue: ENOMEM)
    /// `EINVAL`: LMDB refuses an argument.
    public static let invalidArgument = Self(rawValue: EINVAL)

    // MARK: Codes of this module

    /// The data file is damaged and was not mapped. ``LMDBError/reason`` describes the damage.
    public static let damagedFile = Self(rawValue: -31001)
    /// An environment was used after a fork, in a process that did not open it.
    public static let wrongProcess = Self(rawValue: -31002)
    /// This process has the environment open already.
    public static let alreadyOpen = Self(rawValue: -31003)
    /// The directory or a file in it may be controlled by another user.
    public static let unsafePath = Self(rawValue: -31004)
    /// Another transaction prevents the call, or the file kept changing. Try again later.
    public static let busy = Self(rawValue: -31005)
    /// The environment was closed.
    public static let closed = Self(rawValue: -31006)
    /// The directory is on a file system that cannot share a map between processes.
    public static let networkFileSystem = Self(rawValue: -31007)
    /// The system has no addresses for the map of the data file, or for a larger one.
    public static let addressSpace = Self(rawValue: -31008)
    /// The map must grow, but a read transaction of this process does not end.
    public static let mapIsRead = Self(rawValue: -31009)
}

extension LMDBError.Code: CustomStringConvertible {
    /// The message for this code and its number.
    public var description: String {
        let message =
            switch self {
            case .damagedFile: "the data file is damaged"
            case .wrongProcess: "opened by another process (fork)"
            case .alreadyOpen: "already open in this process"
            case .unsafePath: "the path is not safe to use"
            case .busy: "another transaction stands in the way"
            case .closed: "the environment is closed"
            case .networkFileSystem: "on a network or user-space file system"
            case .addressSpace: "no addresses for the map"
            case .mapIsRead: "the map cannot grow while it is read"
            default: String(cString: mdb_strerror(rawValue))
            }
        return "\(message) (\(rawValue))"
    }
}

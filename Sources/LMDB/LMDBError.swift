internal import CLMDB

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

internal import CLMDB

/// The one error this module throws: what failed, in which operation, and never a key, a value or a path.
public struct LMDBError: Error, Sendable, Hashable {
    /// What went wrong.
    public let code: Code

    /// The operation that failed, for example `commit`.
    public let operation: String

    /// What was found, if the code alone does not say it, for example which page of a damaged file is wrong.
    public let reason: String?

    /// Makes an error.
    public init(code: Code, operation: String, reason: String? = nil) {
        self.code = code
        self.operation = operation
        self.reason = reason
    }

    /// Whether the environment can no longer be trusted to write, thrown by ``WriteTransaction/commit()`` or
    /// ``Environment/sync()``: a sync or the write of a meta page failed. Close the environment, open it again,
    /// and look which transaction was the last to survive. A failed sync is never to be retried.
    public var isFatal: Bool {
        code == .panic || code == .ioError || code == .corrupted || code == .pageNotFound
    }
}

extension LMDBError: CustomStringConvertible {
    /// Operation, code and reason in one line; never the user's data.
    public var description: String {
        let text = "\(operation): \(code)"
        guard let reason else { return text }
        return "\(text): \(reason)"
    }
}

extension LMDBError {
    /// Throws unless `result` is LMDB's or the system's success.
    @inline(__always)
    static func check(_ result: Int32, _ operation: StaticString) throws(LMDBError) {
        guard result == MDB_SUCCESS else { throw LMDBError(result, operation) }
    }

    /// An error from a result of LMDB, or from an `errno`.
    @inline(never)
    init(_ result: Int32, _ operation: StaticString) {
        self.init(code: Code(rawValue: result), operation: "\(operation)")
    }

    /// An error of this module's own.
    @inline(never)
    init(_ code: Code, _ operation: StaticString, _ reason: String? = nil) {
        self.init(code: code, operation: "\(operation)", reason: reason)
    }
}

internal import TidelogLMDB

/// Why an append failed.
enum AppendFailure: Error {
    /// Nothing was appended.
    case failed(any Error)
    /// The sync or the meta write of the log failed. It is not known whether the events are durable.
    case outcomeUnknown(any Error)

    /// Whether the append failed only because the map is too small, so that a larger map is enough.
    var isMapFull: Bool {
        guard case .failed(let cause as DataStoreError) = self else { return false }
        return cause.isMapFull
    }

    /// Whether the append failed because the disk is full.
    var isStorageFull: Bool {
        guard case .failed(let cause as DataStoreError) = self else { return false }
        return cause.code == .storageFull
    }

    /// The underlying error.
    var cause: any Error {
        switch self {
        case .failed(let cause), .outcomeUnknown(let cause): cause
        }
    }

    /// Calls `body`, and throws the underlying error of a failure.
    static func throwingCause<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let failure as AppendFailure { throw failure.cause }
    }

    init(beforeCommit error: any Error) {
        let isPanic = (error as? LMDBError)?.code == .panic
        let translated = DataStoreError.translatingLogError(error, "append to the log")
        self = isPanic ? .outcomeUnknown(translated) : .failed(translated)
    }

    init(inCommit error: LMDBError) {
        let translated = DataStoreError.translatingLogError(error, "append to the log")
        switch error.code {
        case .mapFull, .noSpace, .quotaExceeded: self = .failed(translated)
        default: self = .outcomeUnknown(translated)
        }
    }
}

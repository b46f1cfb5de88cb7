internal import TidelogLMDB

/// Why an append did not come to its end.
enum AppendFailure: Error {
    /// Nothing was appended.
    case failed(any Error)
    /// The log's sync or meta write failed: the events may or may not be durable.
    case outcomeUnknown(any Error)

    /// Whether more address space is all that is missing.
    var isMapFull: Bool {
        guard case .failed(let cause as DataStoreError) = self else { return false }
        return (cause.underlying as? LMDBError)?.code == .mapFull
    }

    /// Whether the disk has no room.
    var isStorageFull: Bool {
        guard case .failed(let cause as DataStoreError) = self else { return false }
        return cause.code == .storageFull
    }

    init(beforeCommit error: any Error) {
        let isPanic = (error as? LMDBError)?.code == .panic
        let translated = EventLog.translated(error, "append to the log")
        self = isPanic ? .outcomeUnknown(translated) : .failed(translated)
    }

    init(inCommit error: LMDBError) {
        let translated = EventLog.translated(error, "append to the log")
        switch error.code {
        case .mapFull, .noSpace, .quotaExceeded: self = .failed(translated)
        default: self = .outcomeUnknown(translated)
        }
    }
}

internal import TidelogLMDB
internal import TidelogSynchronization

/// The log: all events in order. This type reads the log.
///
/// The log has its own LMDB environment. The newest events are in the tail until the environment has absorbed them. Only a
/// ``LogWriter`` changes the log.
package final class EventLog: Sendable {
    private let mapSize: Int?
    private let currentFiles: Mutex<LogFiles>
    private let state: LogState
    /// A lock for the search for the files that another process writes to.
    private let following = Mutex(())
    /// Reads the tail of a log that another process may be writing. `nil` if this process writes the log.
    private let follower: TailFollower?
    /// Damage that opening found and that lost no event.
    let openingWarnings: [String]
    /// The error for views that begin after the log was closed, `nil` as long as the log is open.
    private let end = Mutex<DataStoreError?>(nil)

    /// Opens the log in `directory`, which must exist, for reading. Another process may be writing it.
    ///
    /// - Parameter isForChecking: Whether the log is opened in order to check it. The last event may then be damaged.
    init(reading directory: String, mapSize: Int? = nil, isForChecking: Bool = false) throws {
        let files = try LogFiles.open(directory, mapSize: mapSize)
        do { state = try LogState(of: files, isForChecking: isForChecking) } catch {
            files.close()
            throw DataStoreError.translatingLogError(error, "read the log")
        }
        currentFiles = Mutex(files)
        follower = TailFollower(directory: directory)
        self.mapSize = mapSize
        openingWarnings = []
    }

    /// The log in `files`, for reading. The log's writer changes `state`.
    init(_ files: LogFiles, _ state: LogState, openingWarnings: [String]) {
        currentFiles = Mutex(files)
        self.state = state
        self.openingWarnings = openingWarnings
        mapSize = nil
        follower = nil
    }

    deinit { currentFiles.withLock { $0.close() } }

    /// The position of the last event. If another process may be writing the log, this is a read; otherwise this instance
    /// knows the position.
    package var head: Position {
        guard follower != nil else { return state.recent.end.position }
        return (try? withReader { try $0.head() }) ?? state.recent.end.position
    }

    /// The last event that this instance knows without a read. If another process may be writing the log, this is the last
    /// event at the opening of the log.
    var knownHead: SequenceNumber { state.recent.end.position.sequence }

    var metadata: LogMetadata { state.metadata }

    /// The present files of the log.
    var files: LogFiles { currentFiles.withLock { $0 } }

    var keyspaces: LogKeyspaces { files.keyspaces }

    /// Continues with other files that have the same content. In the process that writes, this happens between two groups.
    func replaceFiles(with files: LogFiles) {
        let old = currentFiles.withLock { current in
            precondition(files !== current, "other files replace these")
            defer { current = files }
            return current
        }
        follower?.follow(files.directory)
        old.close()
    }

    /// Switches to the files that the writing process has switched to, if there are any.
    func followWriter() throws {
        precondition(follower != nil, "the process that writes a log replaces its files")
        try following.withLock { _ in
            let current = try StoreDirectory.currentLog(after: files.directory)
            guard current != files.directory else { return }
            replaceFiles(with: try LogFiles.open(current, mapSize: mapSize))
        }
    }

    // MARK: Reading

    /// Begins a view of the log. The view must end soon if the files are wanted.
    @inline(__always)
    func begin() throws -> LogReader.View { try begin { try $0.begin() } }

    /// Begins a view of the log in a transaction that `beginTransaction` begins.
    @inline(__always)
    func begin(_ beginTransaction: (LogFiles) throws -> ReadTransaction) throws -> LogReader.View {
        while true {
            // The view of the recent groups is taken before the transaction begins, so that each group is in one of the two.
            let recent = state.recent.unabsorbedView
            // If a writer has removed these files, it acknowledges groups in new files. If the new files cannot be
            // opened yet, the next view tries again.
            if follower != nil, files.areRemoved { try? followWriter() }
            let files = files
            do {
                let transaction = try beginTransaction(files)
                if let follower {
                    guard let view = try follower.view(transaction, files) else { continue }
                    return view
                }
                guard recent.frame > 0, state.recent.isAbsorbed(recent) else {
                    return LogReader.View(transaction: transaction, files: files, recent: recent)
                }
                return try viewAfterAbsorbing(recent, transaction, files)
            } catch let error as LMDBError where error.code == .closed {
                // A smaller set of files may have replaced these files before the view began.
                guard files !== self.files else { throw end.withLock { $0 } ?? error }
            }
        }
    }

    /// A view for the case that the recent groups were absorbed at about the time when its transaction began.
    ///
    /// The metadata that the transaction sees tells whether it began before or after the groups were absorbed.
    private func viewAfterAbsorbing(
        _ recent: RecentEvents.View, _ transaction: ReadTransaction, _ files: LogFiles
    ) throws -> LogReader.View {
        do {
            let absorbed = try LogMetadata.absorbedGroup(transaction, files.keyspaces.meta)
            return LogReader.View(
                transaction: transaction, files: files, recent: absorbed < recent.frame ? recent : .empty)
        } catch {
            files.end(transaction)
            throw error
        }
    }

    /// Calls `body` with a consistent view of the log.
    @inline(__always)
    func withReader<Result>(_ body: (LogReader) throws -> Result) throws -> Result {
        try translatingLogErrors("read the log") {
            let view = try begin()
            defer { view.end() }
            return try body(view.reader)
        }
    }

    /// Calls `body` with the event at `sequence`, or with `nil` if there is none.
    @inline(__always)
    func withEvent<Result>(at sequence: SequenceNumber, _ body: (EventView?) throws -> Result) throws -> Result {
        let recent = state.recent.view
        if let bytes = recent.event(sequence.value) {
            return try withExtendedLifetime(recent) { try body(EventView.verified(bytes, sequence.value)) }
        }
        return try withReader { try body($0.event(at: sequence)) }
    }

    // MARK: Ending

    /// Closes the files. This method returns after the last reader has finished. Views that begin later throw `reason`.
    func close(_ reason: DataStoreError = .closed) {
        end.withLock { $0 = reason }
        files.closeAfterReaders()
    }

    /// Makes views that begin from now on throw `reason`. The files are closed after the last view that has already begun.
    func retire(_ reason: DataStoreError) {
        end.withLock { $0 = reason }
        files.close()
    }

    // MARK: Schemas

    /// All schemas of the log, the oldest first.
    func schemas() throws -> [StoredSchema] {
        try withReader { reader in
            try reader.schemaSequences().map { version, sequence in
                guard let event = try reader.event(at: sequence), event.kind == .schemaChanged else {
                    throw DataStoreError.damagedLog(
                        "has no schema at event \(sequence), where its index says there is one")
                }
                let schema = try SchemaCoding.decode(event.payload)
                guard schema.version == version else {
                    throw DataStoreError.damagedLog("has another schema at event \(sequence)")
                }
                return schema
            }
        }
    }
}

internal import Dispatch
internal import Synchronization
internal import TidelogLMDB

/// The log: all events in order.
///
/// The log has its own LMDB environment. The newest events are in the tail until the environment has absorbed them.
/// Only the writer appends events.
package final class EventLog: Sendable {
    let isReadOnly: Bool
    /// Whether the log is deleted when the process ends.
    let isTemporary: Bool
    /// The most bytes that events may take, `nil` if only the disk limits them.
    let quota: Int?
    private let mapSize: Int?
    private let openFiles: Mutex<LogFiles>
    /// A lock for the search for the files that another process writes to.
    private let following = Mutex(())
    let state: Mutex<State>
    /// The right to write to the environment. One thread has it at a time.
    let turn = DispatchSemaphore(value: 1)
    /// Reads the tail of a log that another process may be writing. `nil` if the log is open for writing.
    private let follower: TailFollower?
    /// Absorbs the tail after a time without writes.
    let absorber = Absorber()
    /// The error for views that begin after the log was closed, `nil` as long as the log is open.
    private let end = Mutex<DataStoreError?>(nil)

    struct Keyspaces: Sendable {
        let events: Keyspace
        let meta: Keyspace
        let consumers: Keyspace
        let schemas: Keyspace
    }

    struct State {
        var head: Position
        var metadata: LogMetadata
        /// The tail of the log, if this process writes the log. `nil` before ``beginTail(isSynced:fileByteCount:)``.
        var tail: LogTail?
        /// The bytes that events took in the environment after the last write to it.
        var storedByteCount = 0
        /// How many commits were synced, as `metrics` reports it. Commits that only absorb the tail do not count.
        var syncCount = 0
        /// Damage that opening found and that lost no event.
        var warnings: [String] = []
        /// The error after which the environment can no longer absorb the tail, `nil` if there was none.
        var failure: (any Error)?
    }

    /// Opens the log in `directory`, which must exist.
    ///
    /// - Parameters:
    ///   - create: The metadata of a new log, if the directory has no log.
    ///   - quota: The most bytes that events may take.
    ///   - isTemporary: Whether the log is deleted when the process ends.
    ///   - isForChecking: Whether the log is opened in order to check it. The last event may then be damaged.
    init(
        directory: String, mapSize: Int?, isReadOnly: Bool, create: LogMetadata?, quota: Int? = nil,
        isTemporary: Bool = false, isForChecking: Bool = false
    ) throws {
        let files = try Self.openFiles(
            directory, mapSize: mapSize, isReadOnly: isReadOnly, isTemporary: isTemporary, create: create)
        self.isReadOnly = isReadOnly
        self.isTemporary = isTemporary
        self.quota = quota
        self.mapSize = mapSize
        openFiles = Mutex(files)
        do {
            state = Mutex(
                try files.withReader { reader in
                    let metadata = try LogMetadata(reader, files.keyspaces.meta)
                    guard !isForChecking else { return State(head: metadata.floor, metadata: metadata) }
                    let head = try LogReader(reader, files.keyspaces, .empty).head()
                    return State(head: head ?? metadata.floor, metadata: metadata)
                })
            follower = isReadOnly ? TailFollower(directory: directory) : nil
            if !isReadOnly {
                try absorbWhatWasLeft(in: directory)
                if !isTemporary { try? files.giveRoomBack() }
            }
        } catch {
            files.close()
            throw Self.translated(error, "read the log")
        }
    }

    deinit { openFiles.withLock { $0.close() } }

    /// Calls `body`, and translates errors of LMDB to errors of the store. Damage becomes the error `logDamaged`.
    @inline(__always)
    static func translating<Result>(_ what: String, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch { throw translated(error, what) }
    }

    static func translated(_ error: any Error, _ what: String) -> any Error {
        let translated = DataStoreError.translating(error, what)
        guard let cause = error as? LMDBError, let failure = translated as? DataStoreError else { return translated }
        // A log always has all of its keyspaces. A missing keyspace is therefore damage.
        guard failure.code == .damaged || cause.code == .notFound else { return translated }
        return DataStoreError(
            .logDamaged, failure.message, underlying: error,
            recovery: "Salvage the good events with `tidelog verify --salvage`.")
    }

    /// The position of the last event. A log that is open for reading looks it up; otherwise this instance knows it.
    package var head: Position {
        guard isReadOnly else { return state.withLock { $0.head } }
        return (try? withReader { try $0.head() }) ?? state.withLock { $0.head }
    }

    /// The last event that this instance knows without a read. For a log that is open for reading, this is the last
    /// event at its opening.
    var knownHead: SequenceNumber { state.withLock { $0.head.sequence } }

    var metadata: LogMetadata { state.withLock { $0.metadata } }

    /// Damage that opening found and that lost no event.
    var openingWarnings: [String] { state.withLock { $0.warnings } }

    var syncCount: Int { state.withLock { $0.syncCount } }

    /// The present files of the log.
    var files: LogFiles { openFiles.withLock { $0 } }

    var keyspaces: Keyspaces { files.keyspaces }

    /// Continues with other files that have the same content. In the process that writes, this happens between two
    /// groups.
    func replaceFiles(with files: LogFiles) {
        let old = openFiles.withLock { current in
            precondition(files !== current, "other files take the place of these")
            defer { current = files }
            return current
        }
        follower?.follow(files.directory)
        if !isTemporary { state.withLock { $0.tail }?.move(to: files.directory) }
        old.close()
    }

    /// Switches to the files that the writing process has switched to, if there are any.
    func followWriter() throws {
        precondition(isReadOnly, "the process that writes a log replaces its files")
        try following.withLock { _ in
            let current = try StoreDirectory.currentLog(after: files.directory)
            guard current != files.directory else { return }
            replaceFiles(
                with: try Self.openFiles(current, mapSize: mapSize, isReadOnly: true, isTemporary: false, create: nil))
        }
    }

    // MARK: Reading

    /// A view of the open log, as ``begin()`` returns it. Each view must be ended with ``end()``.
    struct Look {
        let transaction: ReadTransaction
        let files: LogFiles
        let recent: RecentEvents.View

        var reader: LogReader { LogReader(transaction, files.keyspaces, recent) }

        func end() { files.end(transaction) }
    }

    /// Begins a view of the log. The view must end soon if the files are wanted.
    @inline(__always)
    func begin() throws -> Look { try begin { try $0.begin() } }

    /// Begins a view of the log in a transaction that `beginTransaction` begins.
    @inline(__always)
    func begin(_ beginTransaction: (LogFiles) throws -> ReadTransaction) throws -> Look {
        while true {
            // The view of the recent groups is taken before the transaction begins, so that each group is in one of the
            // two.
            let tail = state.withLock { $0.tail?.recent }
            let recent = tail?.unabsorbedView ?? .empty
            // If a writer has removed these files, it acknowledges groups in new files. If the new files cannot be
            // opened yet, the next view tries again.
            if isReadOnly, files.areRemoved { try? followWriter() }
            let files = files
            do {
                let transaction = try beginTransaction(files)
                if let follower {
                    guard let look = try follower.look(transaction, files) else { continue }
                    return look
                }
                guard let tail, recent.frame > 0, tail.isAbsorbed(recent) else {
                    return Look(transaction: transaction, files: files, recent: recent)
                }
                return try lookAfterAbsorbing(recent, transaction, files)
            } catch let error as LMDBError where error.code == .closed {
                // A smaller set of files may have replaced these files before the view began.
                guard files !== self.files else { throw end.withLock { $0 } ?? error }
            }
        }
    }

    /// A view for the case that the recent groups were absorbed at about the time when its transaction began.
    ///
    /// The metadata that the transaction sees tells whether it began before or after the groups were absorbed.
    private func lookAfterAbsorbing(
        _ recent: RecentEvents.View, _ transaction: ReadTransaction, _ files: LogFiles
    ) throws -> Look {
        do {
            let absorbed = try LogMetadata.absorbedGroup(transaction, files.keyspaces.meta)
            return Look(transaction: transaction, files: files, recent: absorbed < recent.frame ? recent : .empty)
        } catch {
            files.end(transaction)
            throw error
        }
    }

    /// Calls `body` with a consistent view of the log.
    @inline(__always)
    func withReader<Result>(_ body: (LogReader) throws -> Result) throws -> Result {
        try Self.translating("read the log") {
            let look = try begin()
            defer { look.end() }
            return try body(look.reader)
        }
    }

    /// Calls `body` with the event at `sequence`, or with `nil` if there is none.
    @inline(__always)
    func withEvent<Result>(at sequence: SequenceNumber, _ body: (EventView?) throws -> Result) throws -> Result {
        if let recent = state.withLock({ $0.tail?.recent.view }), let bytes = recent.event(sequence.value) {
            return try withExtendedLifetime(recent) { try body(EventView.verified(bytes, sequence.value)) }
        }
        return try withReader { try body($0.event(at: sequence)) }
    }

    func sync() throws { try translatingErrors("sync the log") { try files.environment.sync() } }

    /// Closes the files. This method returns after the last reader has finished. Views that begin later throw `reason`.
    func close(_ reason: DataStoreError = .closed) {
        end.withLock { $0 = reason }
        absorber.stop()
        state.withLock { $0.tail }?.closeFiles()
        files.closeAfterReaders()
    }

    /// Makes views that begin from now on throw `reason`. The files are closed after the last view that has already
    /// begun.
    func retire(_ reason: DataStoreError) {
        end.withLock { $0 = reason }
        absorber.stop()
        state.withLock { $0.tail }?.closeFiles()
        files.close()
    }
}

extension Statistics {
    /// The bytes of all pages.
    var byteCount: Int { (branchPageCount + leafPageCount + overflowPageCount) * pageSize }
}

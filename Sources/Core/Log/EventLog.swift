internal import Dispatch
internal import Synchronization
internal import TidelogLMDB

/// The log: every event in order, in an LMDB environment of its own and, if they are recent, in the tail in front of it.
/// Appended to by the writer alone.
package final class EventLog: Sendable {
    let isReadOnly: Bool
    /// Whether nothing of the log is to outlive the process.
    let isTemporary: Bool
    /// The most bytes that events may take, `nil` for as many as the disk has.
    let quota: Int?
    private let mapSize: Int?
    private let openFiles: Mutex<LogFiles>
    /// Held by the one who looks for the files that another process writes to.
    private let following = Mutex(())
    let state: Mutex<State>
    /// Held by the one who writes to the environment.
    let turn = DispatchSemaphore(value: 1)
    /// The groups in the tail of a log that another process may write.
    private let follower: TailFollower?
    /// Has the environment take in the tail when nobody has written for a while.
    let absorber = Absorber()
    /// The error of looks that begin after the log was closed, once it is.
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
        /// The end of the log, as long as this process writes it; `nil` before ``beginTail(isSynced:)``.
        var tail: LogTail?
        /// The bytes of events in the environment, when it was last written.
        var storedByteCount = 0
        /// How many commits were synced, but for those that only took in the tail: what `metrics` reports.
        var syncCount = 0
        /// What opening found damaged although no event is lost.
        var warnings: [String] = []
        /// What went wrong when the environment was to take in the tail, if it can take in nothing any more.
        var failure: (any Error)?
    }

    /// Opens the log in `directory`, which exists.
    ///
    /// - Parameters:
    ///   - create: What a new log starts with, if the directory has none.
    ///   - quota: The most bytes that events may take.
    ///   - isTemporary: Whether nothing of the log is to outlive the process.
    ///   - isForChecking: Whether the last event may be damaged.
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

    /// Calls `body` and turns errors of LMDB into errors of the store; damage is the log's.
    @inline(__always)
    static func translating<Result>(_ what: String, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch { throw translated(error, what) }
    }

    static func translated(_ error: any Error, _ what: String) -> any Error {
        let translated = DataStoreError.translating(error, what)
        guard let cause = error as? LMDBError, let failure = translated as? DataStoreError else { return translated }
        // A log has every keyspace.
        guard failure.code == .damaged || cause.code == .notFound else { return translated }
        return DataStoreError(
            .logDamaged, failure.message, underlying: error,
            recovery: "Salvage the good events with `tidelog verify --salvage`.")
    }

    /// The last event, as this instance knows it; a read-only instance looks.
    package var head: Position {
        guard isReadOnly else { return state.withLock { $0.head } }
        return (try? withReader { try $0.head() }) ?? state.withLock { $0.head }
    }

    /// The last event, as this instance knows it without looking; a read-only instance, as it was opened.
    var knownHead: SequenceNumber { state.withLock { $0.head.sequence } }

    var metadata: LogMetadata { state.withLock { $0.metadata } }

    /// What opening found damaged although no event is lost.
    var openingWarnings: [String] { state.withLock { $0.warnings } }

    var syncCount: Int { state.withLock { $0.syncCount } }

    /// The log's files, as they are now.
    var files: LogFiles { openFiles.withLock { $0 } }

    var keyspaces: Keyspaces { files.keyspaces }

    /// Goes on with other files of the same content: between groups, where this process writes.
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

    /// Goes on with the files that the process that writes has gone on to, if it has.
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

    /// A look at the log that is open: the one that ``begin()`` gives must be ended.
    struct Look {
        let transaction: ReadTransaction
        let files: LogFiles
        let recent: RecentEvents.View

        var reader: LogReader { LogReader(transaction, files.keyspaces, recent) }

        func end() { files.end(transaction) }
    }

    /// Begins a look at the log. End it soon where the files are wanted.
    @inline(__always)
    func begin() throws -> Look { try begin { try $0.begin() } }

    /// Begins a look at the log whose transaction `beginTransaction` begins.
    @inline(__always)
    func begin(_ beginTransaction: (LogFiles) throws -> ReadTransaction) throws -> Look {
        while true {
            // The recent groups are taken before the transaction begins, so that each group is in one of the two.
            let tail = state.withLock { $0.tail?.recent }
            let recent = tail?.unabsorbedView ?? .empty
            // A writer that removed these files acknowledges groups in other ones. If those cannot be opened yet, the next
            // look tries again.
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
                // Smaller files may have taken the place of these before the look began.
                guard files !== self.files else { throw end.withLock { $0 } ?? error }
            }
        }
    }

    /// A look whose recent groups were absorbed at about the time when its transaction began. The transaction itself says
    /// whether it began before that or after it.
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

    /// Calls `body` with the event at `sequence`, `nil` if there is none.
    @inline(__always)
    func withEvent<Result>(at sequence: SequenceNumber, _ body: (EventView?) throws -> Result) throws -> Result {
        if let recent = state.withLock({ $0.tail?.recent.view }), let bytes = recent.event(sequence.value) {
            return try withExtendedLifetime(recent) { try body(EventView.verified(bytes, sequence.value)) }
        }
        return try withReader { try body($0.event(at: sequence)) }
    }

    func sync() throws { try translatingErrors("sync the log") { try files.environment.sync() } }

    /// Closes the files. Returns once nobody reads them any more. Later looks throw `reason`.
    func close(_ reason: DataStoreError = .closed) {
        end.withLock { $0 = reason }
        absorber.stop()
        state.withLock { $0.tail }?.closeFiles()
        files.closeAfterReaders()
    }

    /// Refuses looks that begin from now on with `reason`. The files are closed after the last look that has begun.
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

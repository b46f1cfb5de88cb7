internal import Dispatch
internal import TidelogLMDB
internal import TidelogSynchronization

/// Writes to the environment of a log. It owns the right to write to the environment, whose transactions first absorb the tail.
///
/// The log's writer uses it for everything that does not go to the tail. The absorber uses it on a thread of the system, while
/// the log's writer appends to the tail.
final class EnvironmentWriter: Sendable {
    private let recent: RecentEvents
    private let isTemporary: Bool
    private let currentFiles: Mutex<WritableLogFiles>
    /// The right to write to the environment. One thread has it at a time.
    let writeRight = DispatchSemaphore(value: 1)
    /// The bytes of the events in the environment after the last write to it.
    private let currentByteCount = Atomic<Int>(0)
    private let firstFailure = Mutex<(any Error)?>(nil)
    /// Whether there is a failure. Each append checks this, and takes no lock for it.
    private let hasFailed = Atomic<Bool>(false)

    /// - Parameters:
    ///   - recent: The groups that the environment has not absorbed.
    ///   - isTemporary: Whether the log is deleted when the process ends.
    init(_ files: WritableLogFiles, _ recent: RecentEvents, isTemporary: Bool) {
        currentFiles = Mutex(files)
        self.recent = recent
        self.isTemporary = isTemporary
    }

    private var files: WritableLogFiles { currentFiles.withLock { $0 } }

    /// The bytes of the events in the environment after the last write to it.
    var storedByteCount: Int { currentByteCount.load(ordering: .relaxed) }

    /// The error after which the environment can no longer absorb the tail, `nil` if there was none.
    var failure: (any Error)? { hasFailed.load(ordering: .acquiring) ? firstFailure.withLock { $0 } : nil }

    // MARK: Transactions

    /// Runs `body` in a write transaction and commits it. The transaction first absorbs the tail. Each time that the map has
    /// to grow, the transaction runs again.
    func commit<Result>(_ body: (WriteTransaction) throws -> Result) throws(AppendFailure) -> Result {
        writeRight.wait()
        defer { writeRight.signal() }
        return try commitWithRight(body)
    }

    /// Writes the groups of the tail to the environment.
    func absorb() throws(AppendFailure) {
        writeRight.wait()
        defer { writeRight.signal() }
        guard !recent.isAbsorbed(recent.view) else { return }
        if let failure { throw AppendFailure.failed(DataStoreError.poisoned(by: failure)) }
        do throws(AppendFailure) { try commitWithRight { _ in } } catch {
            // A failed sync is never tried again, because a second sync could succeed although data was lost.
            if case .outcomeUnknown(let cause) = error {
                firstFailure.withLock { $0 = cause }
                hasFailed.store(true, ordering: .releasing)
            }
            throw error
        }
    }

    /// Writes the groups of `view` to the environment, unless it has them. The view shows another log, of which this
    /// environment is a copy.
    func absorb(_ view: RecentEvents.View) throws(AppendFailure) {
        guard recent.end.group < view.frame else { return }
        try commit { transaction in try write(view, transaction, files.files.keyspaces) }
    }

    /// The same as ``commit(_:)``, for a caller that has the right to write.
    private func commitWithRight<Result>(_ body: (WriteTransaction) throws -> Result) throws(AppendFailure) -> Result {
        let files = files
        var attempts = 0
        while true {
            do throws(AppendFailure) { return try commitOnce(files, body) } catch {
                guard error.isMapFull, attempts < 24 else { throw error }
                // The next transaction begins with a larger map.
                attempts += 1
            }
        }
    }

    private func commitOnce<Result>(
        _ files: WritableLogFiles, _ body: (WriteTransaction) throws -> Result
    ) throws(AppendFailure) -> Result {
        let keyspaces = files.files.keyspaces
        let view = recent.view
        let transaction: WriteTransaction
        let result: Result
        let byteCount: Int
        do {
            transaction = try files.beginWrite()
            do {
                if !recent.isAbsorbed(view) { try write(view, transaction, keyspaces) }
                result = try body(transaction)
                byteCount = try transaction.statistics(keyspaces.events).byteCount
            } catch {
                transaction.abort()
                throw error
            }
        } catch {
            throw AppendFailure(beforeCommit: error)
        }
        do { try transaction.commit() } catch { throw AppendFailure(inCommit: error) }
        files.noteCommit()
        // The room is measured before the groups are forgotten. Otherwise a check for room could compare the old room with
        // the new, smaller need.
        if !isTemporary { files.measureRoom() }
        recent.forget(upTo: view)
        currentByteCount.store(byteCount, ordering: .relaxed)
        return result
    }

    /// Writes the groups of `view` in `transaction`.
    private func write(_ view: RecentEvents.View, _ transaction: WriteTransaction, _ keyspaces: LogKeyspaces) throws {
        let cursor = try transaction.cursor(keyspaces.events)
        let last = try cursor.last().map { UInt64(integerKey: $0.key) } ?? 0
        try view.forEach { number, bytes in
            // The environment may already have some of the events.
            if number > last { try cursor.append(number, bytes) }
        }
        try keyspaces.move(view.consumers, transaction)
        try LogMetadata.noteAbsorbed(view.frame, transaction, keyspaces.meta)
    }

    /// Makes all commits durable.
    func sync() throws { try files.sync() }

    // MARK: Files and their room

    /// Continues in other files that have the same content. The environment must have absorbed all groups.
    func replaceFiles(with files: WritableLogFiles) {
        writeRight.wait()
        defer { writeRight.signal() }
        currentFiles.withLock { $0 = files }
    }

    /// Measures the bytes of the events and the room, before groups are written to the tail.
    func measure() throws {
        let files = files
        let byteCount = try files.files.withReader { try $0.statistics(files.files.keyspaces.events).byteCount }
        currentByteCount.store(byteCount, ordering: .relaxed)
        files.measureRoom()
    }

    /// Whether the environment is known to have room for the tail and a further group of `byteCount` bytes.
    func hasRoom(for byteCount: Int) -> Bool { isTemporary || files.hasRoom(for: recent.view.byteCount + byteCount) }

    /// Makes sure that the environment can absorb the tail and a further group of `byteCount` bytes, even if the disk
    /// is full by then.
    func secureRoom(for byteCount: Int) throws(AppendFailure) {
        guard !hasRoom(for: byteCount) else { return }
        do throws(AppendFailure) {
            try makeRoom(for: recent.view.byteCount + byteCount)
        } catch {
            // The events of the tail may need less room than was reckoned with, so that absorbing the tail may free enough.
            guard error.isStorageFull else { throw error }
            try absorb()
            guard !hasRoom(for: byteCount) else { return }
            throw error
        }
    }

    /// Makes sure that there is room for a group of `byteCount` bytes, and for `preferred` bytes if the disk has the space.
    func secureRoom(for byteCount: Int, preferring preferred: Int) throws(AppendFailure) {
        guard !hasRoom(for: max(byteCount, preferred)) else { return }
        do throws(AppendFailure) {
            try makeRoom(for: recent.view.byteCount + max(byteCount, preferred))
        } catch {
            try secureRoom(for: byteCount)
        }
    }

    private func makeRoom(for byteCount: Int) throws(AppendFailure) {
        writeRight.wait()
        defer { writeRight.signal() }
        do { try files.makeRoom(for: byteCount) } catch { throw AppendFailure(beforeCommit: error) }
    }

    /// Releases the space that was reserved for the tail, which must be empty. The next opening reserves space again.
    func giveRoomBack() {
        writeRight.wait()
        defer { writeRight.signal() }
        try? files.giveRoomBack()
    }
}

extension DataStoreError {
    /// The error for writes after a sync of the log has failed because of `cause`.
    static func poisoned(by cause: any Error) -> DataStoreError {
        DataStoreError(
            .poisoned, "A sync of the log failed earlier, so the store accepts no further writes.", underlying: cause,
            recovery: "Close the store and open it again. Opening checks which events are durable.")
    }
}

extension Statistics {
    /// The bytes of all pages.
    var byteCount: Int { (branchPageCount + leafPageCount + overflowPageCount) * pageSize }
}

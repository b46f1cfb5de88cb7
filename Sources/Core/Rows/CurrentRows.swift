internal import Dispatch
internal import TidelogSynchronization

/// The adapter that holds the rows, and whether readers may use it.
final class CurrentRows: Sendable {
    private let state: Mutex<State>
    /// Whether the rows outlive the process.
    let isPersistent: Bool
    private let isRebuilding = Atomic<Bool>(false)

    private struct State {
        /// The lease on the adapter, or `nil` if there is no adapter. Without an adapter, ``failure`` is set.
        var lease: Lease?
        /// The directory of the rows, or the last directory if there is no adapter.
        var directory: String?
        /// The reason why the rows do not follow the log, or why the rows were closed.
        var failure: Failure?
        /// Whether all present rows are correct. Sound rows may lack events for which there was no space.
        var isSound = true
        /// The state of the adapter that was withdrawn, if ``withdraw(within:)`` has withdrawn one.
        var withdrawal: RowsWithdrawal?

        /// Gives up the lease. After all holders have given it up, the adapter is closed and `body` runs.
        consuming func retire(_ body: @escaping @Sendable () -> Void) {
            guard let lease else { return body() }
            lease.atEnd {
                // These rows are superseded, so a failure to close their adapter has no consequence.
                try? $0.adapter.close()
                body()
            }
        }

        /// Gives up the lease. After all holders have given it up, `ended` is signalled.
        consuming func end(signalling ended: DispatchSemaphore) -> RowsFiles? {
            guard let lease else { return nil }
            lease.atEnd { _ in ended.signal() }
            return lease.files
        }
    }

    /// An error behind a reference, so that a reader that looks for one copies nothing.
    private final class Failure: Sendable {
        let error: DataStoreError

        init(_ error: DataStoreError) { self.error = error }
    }

    init(_ files: RowsFiles) {
        state = Mutex(State(lease: Lease(files), directory: files.directory))
        isPersistent = files.directory != nil
    }

    /// The adapter.
    ///
    /// - Throws: ``DataStoreError`` with code `projectionUnavailable` while the rows do not follow the log.
    func adapter() throws -> any StorageAdapter { try lease().files.adapter }

    /// A lease on the adapter. The adapter stays open as long as the lease is held.
    ///
    /// - Throws: as ``adapter()``.
    @inline(__always)
    func lease() throws -> Lease {
        try state.withLock { state in
            if let failure = state.failure { throw failure.error }
            guard let lease = state.lease else { preconditionFailure("rows without an adapter have failed") }
            return lease
        }
    }

    /// A lease on the adapter for a reader, and whether the rows follow the log.
    ///
    /// If the rows do not follow the log, they lack only the events for which there was no space.
    ///
    /// - Throws: the same errors as ``adapter()``, except an error for lack of space.
    @inline(__always)
    func readable() throws -> (lease: Lease, isComplete: Bool) {
        try state.withLock { state in
            guard let failure = state.failure else {
                guard let lease = state.lease else { preconditionFailure("rows without an adapter have failed") }
                return (lease, true)
            }
            guard state.isSound, let lease = state.lease else { throw failure.error }
            return (lease, false)
        }
    }

    /// The directory of the rows' files, or `nil` for an adapter without files.
    var directory: String? { state.withLock { $0.directory } }

    /// The adapter that has to catch up with the log when space is free again.
    ///
    /// The value is `nil` if the rows follow the log, or if they failed for another reason.
    var adapterWithoutRoom: (any StorageAdapter)? {
        state.withLock { $0.failure != nil && $0.isSound ? $0.lease?.files.adapter : nil }
    }

    /// The error with which the rows failed, or `nil` while they follow the log.
    var failure: DataStoreError? { state.withLock { $0.failure?.error } }

    /// Marks that a rebuild has begun to make new rows next to the present ones.
    ///
    /// - Throws: ``DataStoreError`` with code `locked` if a rebuild is running already.
    func beginRebuilding() throws {
        guard !isRebuilding.exchange(true, ordering: .acquiringAndReleasing) else { throw DataStoreError.beingRebuilt }
    }

    func endRebuilding() {
        let hasBegun = isRebuilding.exchange(false, ordering: .acquiringAndReleasing)
        precondition(hasBegun, "a rebuild that ends has begun")
    }

    /// Blocks the calling thread until no rebuild is running.
    func waitForRebuild() {
        while isRebuilding.load(ordering: .acquiring) { Blocking.pause(microseconds: 1_000) }
    }

    /// Marks that the rows no longer follow the log. After a lack of space, readers can still read the present rows.
    func fail(_ error: any Error) {
        let failure = Self.unavailable(error)
        state.withLock { state in
            state.failure = Failure(failure)
            state.isSound = state.isSound && failure.isForLackOfSpace
        }
    }

    /// The error that reads throw after the rows failed with `cause`.
    static func unavailable(_ cause: any Error) -> DataStoreError {
        if let failure = cause as? DataStoreError, failure.code == .projectionUnavailable { return failure }
        return DataStoreError(
            .projectionUnavailable, "The rows are not up to date with the log.", underlying: cause,
            recovery: "Nothing that was written is lost: it is in the log. The rows are being recreated. Try again, "
                + "or open the store again.")
    }

    func recovered() {
        state.withLock { state in
            precondition(state.lease != nil, "rows that answer again have an adapter")
            state.failure = nil
        }
    }

    /// Takes the adapter of failed rows away from new readers. The adapter is closed after the last reader has finished.
    ///
    /// - Returns: whether the adapter was closed without an error within `patience`, so that its files can be opened again.
    func withdraw(within patience: DispatchTimeInterval) -> Bool {
        var (lease, withdrawal) = state.withLock { state -> (Lease?, RowsWithdrawal) in
            precondition(state.failure != nil, "only failed rows are withdrawn")
            let withdrawal = state.withdrawal ?? RowsWithdrawal()
            state.withdrawal = withdrawal
            return (state.lease.take(), withdrawal)
        }
        guard lease != nil else { return withdrawal.isClosed.load(ordering: .acquiring) }
        lease?.atEnd { [withdrawal] files in
            let isClosed = (try? files.adapter.close()) != nil
            withdrawal.isClosed.store(isClosed, ordering: .releasing)
            withdrawal.ended.signal()
        }
        lease = nil
        _ = withdrawal.ended.wait(timeout: .now() + patience)
        return withdrawal.isClosed.load(ordering: .acquiring)
    }

    /// Replaces the rows with those in `files`. The old adapter is closed after its last reader has finished.
    ///
    /// - Parameter removesOld: Whether the old files are removed after the old adapter is closed. Files that cannot be removed
    ///   then are removed at the next opening.
    func replace(with files: RowsFiles, removesOld: Bool = false) {
        let old = state.withLock { state -> State in
            precondition(state.lease?.files.adapter !== files.adapter, "other rows replace these")
            defer { state = State(lease: Lease(files), directory: files.directory) }
            return state
        }
        let superseded = removesOld ? old.directory : nil
        old.retire { if let superseded { try? FileSystem.removeTree(superseded) } }
    }

    /// Refuses new readers with `reason`. After the last reader has finished, the adapter is closed and `body` runs.
    func retire(_ reason: DataStoreError, then body: @escaping @Sendable () -> Void) {
        refuse(reason).retire(body)
    }

    /// Refuses new readers with `reason`, waits for the last reader to finish, and returns the adapter if there is one.
    func end(_ reason: DataStoreError) -> RowsFiles? {
        let ended = DispatchSemaphore(value: 0)
        guard let files = refuse(reason).end(signalling: ended) else { return nil }
        ended.wait()
        return files
    }

    /// Refuses new readers with `reason`, and returns the state before.
    private func refuse(_ reason: DataStoreError) -> State {
        state.withLock { state in
            defer { state = State(lease: nil, directory: state.directory, failure: Failure(reason)) }
            return state
        }
    }

    /// A lease on an adapter. Readers that hold it keep the adapter open, even after the rows were replaced.
    final class Lease: Sendable {
        let files: RowsFiles
        private let end = Mutex<(@Sendable (RowsFiles) -> Void)?>(nil)

        init(_ files: RowsFiles) { self.files = files }

        deinit { end.withLock { $0 }?(files) }

        /// Makes `body` run after the last holder has given up the lease, on that holder's thread.
        func atEnd(_ body: @escaping @Sendable (RowsFiles) -> Void) {
            end.withLock { end in
                precondition(end == nil, "a lease ends once")
                end = body
            }
        }
    }
}

/// The state of an adapter that was withdrawn from its readers.
private final class RowsWithdrawal: Sendable {
    /// Signalled after the last reader has finished.
    let ended = DispatchSemaphore(value: 0)
    /// Whether the adapter was then closed without an error.
    let isClosed = Atomic<Bool>(false)
}

internal import Dispatch
internal import Synchronization

/// The adapter that holds the rows, and whether it answers.
final class CurrentRows: Sendable {
    private let state: Mutex<State>
    /// Whether the rows outlive the process.
    let isPersistent: Bool
    private let isRebuilding = Atomic<Bool>(false)

    private struct State {
        /// `nil` while there is no adapter; then there is a failure.
        var lease: RowsLease?
        /// Where the rows are, or were last.
        var directory: String?
        /// Why the rows do not follow the log, or why they ended.
        var failure: DataStoreError?
        /// Whether the rows are right as far as they go: at most they lack what there was no room for.
        var isSound = true
        /// What became of the adapter that is missing.
        var withdrawal: RowsWithdrawal?

        /// Lets go of the lease; once all have, the adapter is closed and `body` runs.
        consuming func retire(_ body: @escaping @Sendable () -> Void) {
            guard let lease else { return body() }
            lease.atEnd {
                // Superseded rows are on their way out: nobody can do anything about what fails.
                try? $0.adapter.close()
                body()
            }
        }

        /// Lets go of the lease; once all have, `ended` is signalled.
        consuming func end(signalling ended: DispatchSemaphore) -> RowsFiles? {
            guard let lease else { return nil }
            lease.atEnd { _ in ended.signal() }
            return lease.files
        }
    }

    init(_ files: RowsFiles) {
        state = Mutex(State(lease: RowsLease(files), directory: files.directory))
        isPersistent = files.directory != nil
    }

    /// The adapter.
    ///
    /// - Throws: ``DataStoreError`` with code `projectionUnavailable` while the rows do not follow the log.
    func adapter() throws -> any StorageAdapter { try lease().files.adapter }

    /// The adapter, and that it stays open for as long as the lease is held.
    ///
    /// - Throws: as ``adapter()``.
    @inline(__always)
    func lease() throws -> RowsLease {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            guard let lease = state.lease else { preconditionFailure("rows without an adapter have failed") }
            return lease
        }
    }

    /// The adapter for a reader, held open, and whether it follows the log. If it does not, it lacks what there was no room
    /// for, and nothing else.
    ///
    /// - Throws: as ``adapter()``, but not for lack of space.
    @inline(__always)
    func readable() throws -> (lease: RowsLease, isComplete: Bool) {
        try state.withLock { state in
            guard let failure = state.failure else {
                guard let lease = state.lease else { preconditionFailure("rows without an adapter have failed") }
                return (lease, true)
            }
            guard state.isSound, let lease = state.lease else { throw failure }
            return (lease, false)
        }
    }

    /// Where the rows' files are, `nil` for an adapter without files.
    var directory: String? { state.withLock { $0.directory } }

    /// The adapter that is to catch up once there is room; `nil` if the rows follow the log, or failed in another way.
    var adapterWithoutRoom: (any StorageAdapter)? {
        state.withLock { $0.failure != nil && $0.isSound ? $0.lease?.files.adapter : nil }
    }

    /// What the rows failed with, `nil` while they follow the log.
    var failure: DataStoreError? { state.withLock { $0.failure } }

    /// Notes that rows are made beside these.
    ///
    /// - Throws: ``DataStoreError`` with code `locked` if that is so already.
    func beginRebuilding() throws {
        guard !isRebuilding.exchange(true, ordering: .acquiringAndReleasing) else { throw DataStoreError.beingRebuilt }
    }

    func endRebuilding() {
        let hasBegun = isRebuilding.exchange(false, ordering: .acquiringAndReleasing)
        precondition(hasBegun, "a rebuild that ends has begun")
    }

    /// The rows do not follow the log from now on. Lack of space leaves readers what the rows have.
    func fail(_ error: any Error) {
        let failure = Self.unavailable(error)
        state.withLock { state in
            state.failure = failure
            state.isSound = state.isSound && failure.isForLackOfSpace
        }
    }

    /// The error of reads after the rows failed with `cause`.
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

    /// Takes the adapter of failed rows away, and has it closed once nobody reads it any more.
    ///
    /// - Returns: whether it was closed as it should, at the latest after `patience`, so that its files may be opened again.
    func withdraw(within patience: DispatchTimeInterval) -> Bool {
        var (lease, withdrawal) = state.withLock { state -> (RowsLease?, RowsWithdrawal) in
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

    /// Goes on with other rows; the adapter of the old ones is closed once nobody reads it any more.
    ///
    /// - Parameter removesOld: Whether the files of the old ones go then too. What cannot be removed then is removed at
    ///   the next opening.
    func replace(with files: RowsFiles, removesOld: Bool = false) {
        let old = state.withLock { state -> State in
            precondition(state.lease?.files.adapter !== files.adapter, "other rows take the place of these")
            defer { state = State(lease: RowsLease(files), directory: files.directory) }
            return state
        }
        let superseded = removesOld ? old.directory : nil
        old.retire { if let superseded { try? FileSystem.removeTree(superseded) } }
    }

    /// Refuses readers from now on with `reason`. Once nobody reads any more, the adapter is closed and `body` runs.
    func retire(_ reason: DataStoreError, then body: @escaping @Sendable () -> Void) {
        refuse(reason).retire(body)
    }

    /// Refuses readers from now on with `reason`; returns the adapter, if there is one, once nobody reads it any more.
    func end(_ reason: DataStoreError) -> RowsFiles? {
        let ended = DispatchSemaphore(value: 0)
        guard let files = refuse(reason).end(signalling: ended) else { return nil }
        ended.wait()
        return files
    }

    /// Takes the rows away from readers that begin from now on.
    private func refuse(_ reason: DataStoreError) -> State {
        state.withLock { state in
            defer { state = State(lease: nil, directory: state.directory, failure: reason) }
            return state
        }
    }
}

/// An adapter that was taken away from its readers.
private final class RowsWithdrawal: Sendable {
    /// Signalled once nobody reads any more.
    let ended = DispatchSemaphore(value: 0)
    /// Whether the adapter was closed then without an error.
    let isClosed = Atomic<Bool>(false)
}

internal import Synchronization

/// The adapter that holds the rows, and whether it answers.
final class Rows: Sendable {
    private let state: Mutex<State>

    private struct State {
        var lease: RowsLease
        var failure: DataStoreError?
    }

    init(_ files: RowsFiles) { state = Mutex(State(lease: RowsLease(files))) }

    /// The adapter.
    ///
    /// - Throws: ``DataStoreError`` with code `projectionUnavailable` while the rows do not follow the log.
    func adapter() throws -> any StorageAdapter {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            return state.lease.files.adapter
        }
    }

    /// The adapter, and that it stays open for as long as the lease is held.
    ///
    /// - Throws: as ``adapter()``.
    func lease() throws -> RowsLease {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            return state.lease
        }
    }

    /// The adapter, whether it answers or not: for catching up and closing.
    var adapterInAnyState: any StorageAdapter { files.adapter }

    /// The adapter and where its files are.
    var files: RowsFiles { state.withLock { $0.lease.files } }

    var hasFailed: Bool { state.withLock { $0.failure != nil } }

    func fail(_ error: any Error) {
        let failure = DataStoreError(
            .projectionUnavailable, "The rows do not follow the log.", underlying: error,
            recovery: "The write is kept in the log. The next write catches up; else open the store again.")
        state.withLock { $0.failure = failure }
    }

    func recovered() { state.withLock { $0.failure = nil } }

    /// Goes on with other rows; the adapter of the old ones is closed once the last lease on it ends.
    func replace(with files: RowsFiles) {
        let old = state.withLock { state in
            defer {
                state.lease = RowsLease(files)
                state.failure = nil
            }
            return state.lease
        }
        old.retire()
    }

    /// Has the adapter closed once the last lease on it ends.
    func retire() { state.withLock { $0.lease }.retire() }
}

/// An adapter and where its files are.
struct RowsFiles: Sendable {
    let adapter: any StorageAdapter
    /// `nil` for an adapter without files.
    let directory: String?
    let marker: RowsMarker?
}

/// Holds an adapter open for those who read it, after it was replaced.
final class RowsLease: Sendable {
    let files: RowsFiles
    private let isRetired = Atomic<Bool>(false)

    init(_ files: RowsFiles) { self.files = files }

    deinit {
        // Superseded rows are on their way out: nobody can do anything about what fails here.
        if isRetired.load(ordering: .relaxed) { try? files.adapter.close() }
    }

    func retire() { isRetired.store(true, ordering: .relaxed) }
}

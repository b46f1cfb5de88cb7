internal import Synchronization

/// The adapter that holds the rows, and whether it answers.
final class Rows: Sendable {
    private let state: Mutex<State>

    private struct State {
        var adapter: any StorageAdapter
        var failure: DataStoreError?
    }

    init(_ adapter: any StorageAdapter) { state = Mutex(State(adapter: adapter)) }

    /// The adapter.
    ///
    /// - Throws: ``DataStoreError`` with code `projectionUnavailable` while the rows do not follow the log.
    func adapter() throws -> any StorageAdapter {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            return state.adapter
        }
    }

    /// The adapter, whether it answers or not: for catching up and closing.
    var adapterInAnyState: any StorageAdapter { state.withLock { $0.adapter } }

    var hasFailed: Bool { state.withLock { $0.failure != nil } }

    func fail(_ error: any Error) {
        let failure = DataStoreError(
            .projectionUnavailable, "The rows do not follow the log.", underlying: error,
            recovery: "The write is kept in the log. The next write catches up; else open the store again.")
        state.withLock { $0.failure = failure }
    }

    func recovered() { state.withLock { $0.failure = nil } }

    func replace(with adapter: any StorageAdapter) {
        state.withLock { state in
            state.adapter = adapter
            state.failure = nil
        }
    }
}

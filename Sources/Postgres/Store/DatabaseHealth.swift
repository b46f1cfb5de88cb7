internal import TidelogCore
internal import TidelogSynchronization

/// Whether the database takes changes, as the last changes and readings have shown.
final class DatabaseHealth: Sendable {
    private let state = Mutex<DataStoreError?>(nil)

    /// The failure; `nil` if there is none.
    var failure: DataStoreError? { state.withLock { $0 } }

    /// Notes a change that succeeded, or the error of one that failed. Only failures of the database itself count.
    func noteChange(_ error: (any Error)?) {
        guard let error else { return state.withLock { $0 = nil } }
        guard let error = error as? DataStoreError, error.isOfWriting || error.isOfConnection else { return }
        state.withLock { $0 = error }
    }

    /// Notes a reading. Without readings, a server that gets no requests because it was reported as failing would never report
    /// that the failure is over.
    func noteReading(_ error: DataStoreError?) {
        state.withLock { state in
            if let error {
                state = error
            } else if state?.isOfConnection == true {
                state = nil
            }
        }
    }
}

extension DataStoreError {
    /// Whether the database takes no changes at present, although it can be read.
    var isOfWriting: Bool { code == .readOnly || code == .storageFull }

    /// Whether the database cannot be reached, or does not answer in time.
    var isOfConnection: Bool { code == .databaseUnavailable || code == .inputOutput }
}

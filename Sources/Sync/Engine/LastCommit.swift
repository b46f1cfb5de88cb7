internal import TidelogCore
internal import TidelogSynchronization

/// The last commit of a store of an engine, for a reading of the log that comes after it.
final class LastCommit: Sendable {
    private let commit = Mutex<Commit?>(nil)

    func set(_ value: Commit) { commit.withLock { $0 = value } }

    /// Returns the commit, and forgets it.
    func take() -> Commit? {
        commit.withLock { commit in
            defer { commit = nil }
            return commit
        }
    }
}

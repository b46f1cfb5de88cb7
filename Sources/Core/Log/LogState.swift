internal import TidelogSynchronization

/// The state of a log that its readers share with its writer. Only the writer changes it.
final class LogState: Sendable {
    /// The end of the log, and the groups that the environment has not absorbed.
    let recent: RecentEvents
    private let currentMetadata: Mutex<LogMetadata>

    var metadata: LogMetadata {
        get { currentMetadata.withLock { $0 } }
        set { currentMetadata.withLock { $0 = newValue } }
    }

    /// Reads the state of the log in `files`.
    ///
    /// - Parameter isForChecking: Whether the log is opened in order to check it. The last event may then be damaged, so
    ///   that the floor takes the place of the head.
    init(of files: LogFiles, isForChecking: Bool) throws {
        let (metadata, end) = try files.withReader { reader in
            let metadata = try LogMetadata(reader, files.keyspaces.meta)
            let group = try LogMetadata.absorbedGroup(reader, files.keyspaces.meta)
            guard !isForChecking else { return (metadata, RecentEvents.End(group: group, position: metadata.floor)) }
            let head = try LogReader(reader, files.keyspaces, .empty).head()
            return (metadata, RecentEvents.End(group: group, position: head ?? metadata.floor))
        }
        recent = RecentEvents(after: end)
        currentMetadata = Mutex(metadata)
    }
}

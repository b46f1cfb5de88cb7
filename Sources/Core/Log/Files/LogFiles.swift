internal import TidelogLMDB

/// The open files of a log, for reading. When a log is shrunk, new files replace them. Reads that use the old files can
/// still finish.
///
/// The writer of the log writes the same files through ``WritableLogFiles``.
final class LogFiles: Sendable {
    let directory: String
    private let environment: GrowingEnvironment
    let keyspaces: LogKeyspaces

    init(directory: String, environment: GrowingEnvironment, keyspaces: LogKeyspaces) {
        self.directory = directory
        self.environment = environment
        self.keyspaces = keyspaces
    }

    /// Calls `body` with a transaction that reads the last commit.
    @inline(__always)
    func withReader<Result>(_ body: (ReadTransaction) throws -> Result) throws -> Result {
        let reader = try environment.take()
        defer { environment.give(reader) }
        return try body(reader)
    }

    /// Begins a view of the last commit. End it with ``end(_:)``. End it soon if ``isWanted`` is true.
    func begin() throws -> ReadTransaction { try environment.take() }

    func end(_ reader: ReadTransaction) { environment.give(reader) }

    /// Whether the map must be replaced, which happens as soon as no view is open.
    var isWanted: Bool {
        @inline(__always) get { environment.isWanted }
    }

    /// The state of the environment: its size, its last transaction and its readers.
    var information: Environment.Information { get throws { try environment.information } }

    /// Copies the last commit, without free pages, to `directory`, which exists and is empty.
    func copy(to directory: String) throws { try environment.copy(to: directory) }

    /// Whether the files were removed, because the writing process has switched to other files.
    var areRemoved: Bool { (try? environment.isRemoved) ?? false }

    /// Refuses readers from now on. The files are closed when the last current reader has ended.
    func close() { environment.close() }

    /// Refuses readers from now on, and waits until the current readers have ended and the files are closed.
    func closeAfterReaders() { environment.closeAfterReaders() }
}

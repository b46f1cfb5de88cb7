internal import TidelogLMDB
internal import TidelogSynchronization

/// The open files of a log, for reading. When a log is shrunk, new files replace them. Reads that use the old files can
/// still finish.
///
/// The writer of the log writes the same files through ``WritableLogFiles``.
final class LogFiles: Sendable {
    let directory: String
    private let environment: Environment
    private let readers: ReaderPool
    let keyspaces: LogKeyspaces
    /// Whether the map is being replaced. No reader begins during that time.
    private let isRemapping = Atomic<Bool>(false)

    /// How long the replacement of the map waits for readers to end.
    private static let patience = Duration.seconds(5)

    init(directory: String, environment: Environment, keyspaces: LogKeyspaces) {
        self.directory = directory
        self.environment = environment
        self.keyspaces = keyspaces
        readers = ReaderPool(environment)
    }

    /// Calls `body` with a transaction that reads the last commit.
    @inline(__always)
    func withReader<Result>(_ body: (ReadTransaction) throws -> Result) throws -> Result {
        let reader = try take()
        defer { readers.give(reader) }
        return try body(reader)
    }

    /// Begins a view of the last commit. End it with ``end(_:)``. End it soon if ``isWanted`` is true.
    func begin() throws -> ReadTransaction { try take() }

    func end(_ reader: ReadTransaction) { readers.give(reader) }

    /// Whether the map must be replaced, which happens as soon as no view is open.
    var isWanted: Bool {
        @inline(__always) get { isRemapping.load(ordering: .relaxed) }
    }

    @inline(__always)
    private func take() throws -> ReadTransaction {
        if !isRemapping.load(ordering: .acquiring) {
            do throws(LMDBError) { return try readers.take() } catch {
                return try takeAgain(after: error)
            }
        }
        return try takeAgain(after: LMDBError(code: .busy, operation: "begin reading"))
    }

    /// Begins a read after a failed attempt. This method waits for a new map, adopts a map that another process made
    /// larger, or clears the slots of dead readers.
    private func takeAgain(after failure: LMDBError) throws -> ReadTransaction {
        var failure = failure
        let deadline = ContinuousClock.now + Self.patience
        while ContinuousClock.now < deadline {
            switch failure.code {
            case .busy: Blocking.pause(microseconds: 100)
            case .mapResized: try remap(to: 0)
            case .readersFull: try environment.clearStaleReaders()
            default: throw failure
            }
            if isRemapping.load(ordering: .acquiring) { continue }
            do throws(LMDBError) { return try readers.take() } catch { failure = error }
        }
        throw failure
    }

    /// Doubles the size of the map. New readers wait until the current readers have ended.
    ///
    /// - Throws: `busy` if a reader does not end within 5 s.
    func grow() throws { try remap(to: environment.information.mapSize * 2) }

    private func remap(to byteCount: Int) throws {
        guard !isRemapping.exchange(true, ordering: .acquiringAndReleasing) else {
            Blocking.pause(microseconds: 100)
            return
        }
        defer { isRemapping.store(false, ordering: .releasing) }
        let deadline = ContinuousClock.now + Self.patience
        while true {
            do throws(LMDBError) { return try environment.setMapSize(byteCount) } catch {
                guard error.code == .busy, ContinuousClock.now < deadline else { throw error }
            }
            Blocking.pause(microseconds: 100)
        }
    }

    /// The state of the environment: its size, its last transaction and its readers.
    var information: Environment.Information { get throws { try environment.information } }

    /// Copies the last commit, without free pages, to `directory`, which exists and is empty.
    func copy(to directory: String) throws { try environment.copy(to: directory, compacting: true) }

    /// Whether the files were removed, because the writing process has switched to other files.
    var areRemoved: Bool { (try? environment.isRemoved) ?? false }

    /// Refuses readers from now on. The files are closed when the last current reader has ended.
    func close() {
        readers.close()
        environment.close()
    }

    /// Refuses readers from now on, and waits until the current readers have ended and the files are closed.
    func closeAfterReaders() {
        readers.close()
        environment.closeAfterTransactions()
    }
}

internal import Synchronization
internal import TidelogLMDB

/// The open files of a log. Shrinking a log replaces them; reads of the old ones that are at work finish.
final class LogFiles: Sendable {
    let directory: String
    let environment: Environment
    let readers: ReaderPool
    let keyspaces: EventLog.Keyspaces
    /// While the map is replaced by another, no reader begins.
    private let isRemapping = Atomic<Bool>(false)
    /// The bytes that the environment can take in without more of the disk (``measureRoom()``).
    let room = Atomic<Int>(0)
    /// Whether the file system can set space aside; true until it says otherwise.
    let setsSpaceAside = Atomic<Bool>(true)
    /// How many transactions were committed since dead readers were last looked for.
    private let commitCount = Atomic<Int>(0)
    /// A look takes about a microsecond for each process that reads; a dead reader makes each commit until then take new
    /// pages of the file.
    private static let commitsBetweenReaderChecks = 128

    /// How long growing waits for readers to end.
    private static let patience = Duration.seconds(5)

    init(directory: String, environment: Environment, keyspaces: EventLog.Keyspaces) {
        self.directory = directory
        self.environment = environment
        self.keyspaces = keyspaces
        readers = ReaderPool(environment)
    }

    /// Calls `body` with a transaction that looks at the last commit.
    @inline(__always)
    func withReader<Result>(_ body: (ReadTransaction) throws -> Result) throws -> Result {
        let reader = try take()
        defer { readers.give(reader) }
        return try body(reader)
    }

    /// Begins a view that looks at the last commit. End it with ``end(_:)``, soon where ``isWanted`` says so.
    func begin() throws -> ReadTransaction { try take() }

    func end(_ reader: ReadTransaction) { readers.give(reader) }

    /// Whether the map is to be replaced by another as soon as nobody has a view.
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

    /// Waits for a new map, follows one that another process made larger, or clears dead readers out of the way.
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

    /// Called after each commit of the writer's. Frees, now and then, the slots of readers whose processes died: their views
    /// would keep pages from being used again.
    func committed() {
        let count = commitCount.load(ordering: .relaxed) + 1
        assert(count <= Self.commitsBetweenReaderChecks, "the count begins again with each check")
        let isDue = count >= Self.commitsBetweenReaderChecks
        commitCount.store(isDue ? 0 : count, ordering: .relaxed)
        // A failure takes nothing from the commit; the next check tries again.
        if isDue { _ = try? environment.clearStaleReaders() }
    }

    /// Doubles the map. New readers wait until those at work have ended.
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

    /// Whether the files were removed: the process that writes goes on in others.
    var areRemoved: Bool { (try? environment.isRemoved) ?? false }

    /// Refuses readers from now on; the files are closed with the last of those at work.
    func close() {
        readers.close()
        environment.close()
    }

    /// Refuses readers from now on, and waits until those at work have ended and the files are closed.
    func closeAfterReaders() {
        readers.close()
        environment.closeAfterTransactions()
    }
}

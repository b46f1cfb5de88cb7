internal import TidelogLMDB
internal import TidelogSynchronization

/// The open files of a log, for its writer.
///
/// The environment has room for the groups of the tail. The room consists of free pages, and of space that was reserved
/// after the last page. Because of this room, acknowledged groups can be absorbed even if the disk is full. A store can
/// then still open, and compaction can still run.
final class WritableLogFiles: Sendable {
    /// The same files, for reading.
    let files: LogFiles
    private let environment: GrowingEnvironment
    /// The bytes that the environment can absorb without further disk space (``measureRoom()``).
    private let room = Atomic<Int>(0)
    /// Whether the file system can reserve space. The value is true until an attempt fails.
    private let setsSpaceAside = Atomic<Bool>(true)
    /// The number of transactions committed since the last check for dead readers.
    private let commitCount = Atomic<Int>(0)

    /// The number of commits between two checks for dead readers. A check takes about a microsecond for each process
    /// that reads. Until the check, a dead reader makes each commit use new pages of the file.
    private static let commitsBetweenReaderChecks = 128
    /// The room that a transaction needs to absorb a tail, in addition to the room for the events. Compaction also uses
    /// it for its first steps.
    private static let spareByteCount = 192 << 10
    /// The smallest step in which the reserved space grows.
    private static let stepByteCount = 256 << 10

    init(directory: String, environment: GrowingEnvironment, keyspaces: LogKeyspaces) {
        self.environment = environment
        files = LogFiles(directory: directory, environment: environment, keyspaces: keyspaces)
    }

    // MARK: Writing

    /// Begins a write transaction. It belongs to the calling thread until it ends.
    func beginWrite() throws -> WriteTransaction { try environment.beginWrite() }

    /// Notes that a transaction was committed. From time to time this method frees the slots of readers whose processes
    /// died, because their views would block free pages.
    func noteCommit() {
        let count = commitCount.load(ordering: .relaxed) + 1
        assert(count <= Self.commitsBetweenReaderChecks, "the count begins again with each check")
        let isDue = count >= Self.commitsBetweenReaderChecks
        commitCount.store(isDue ? 0 : count, ordering: .relaxed)
        // A failure does not affect the commit. The next check tries again.
        if isDue { _ = try? environment.clearStaleReaders() }
    }

    /// Makes all commits durable.
    func sync() throws { try environment.sync() }

    // MARK: Room

    /// Whether the environment is known to have room for `byteCount` bytes of events.
    func hasRoom(for byteCount: Int) -> Bool { room.load(ordering: .acquiring) >= Self.room(for: byteCount) }

    /// The room that `byteCount` bytes of events need. An event of one byte more than a page takes two pages, therefore
    /// the bytes are doubled.
    private static func room(for byteCount: Int) -> Int { 2 * byteCount + byteCount / 8 + spareByteCount }

    /// Measures the room. If the measurement fails, the room counts as 0. This method is called at the beginning and
    /// after each commit.
    func measureRoom() {
        guard setsSpaceAside.load(ordering: .relaxed) else { return }
        room.store((try? measuredRoom()) ?? 0, ordering: .releasing)
    }

    private func measuredRoom() throws -> Int {
        let information = try environment.information
        return max(0, FileSystem.byteCount(ofFile: dataPath) - Self.end(of: information))
            + (try environment.freePageByteCount(after: information))
    }

    /// The offset in the file at which the last page in use ends.
    private static func end(of information: Environment.Information) -> Int {
        (information.lastPageNumber + 1) * information.pageSize
    }

    /// Reserves space so that there is room for `byteCount` bytes of events. The caller makes sure that no commit happens
    /// during the call.
    ///
    /// - Throws: ``DataStoreError`` with code `storageFull` or `inputOutput`.
    func makeRoom(for byteCount: Int) throws {
        // The slot of a dead reader blocks free pages until the slot is cleared.
        _ = try? environment.clearStaleReaders()
        measureRoom()
        let missing = Self.room(for: byteCount) - room.load(ordering: .acquiring)
        guard missing > 0 else { return }
        let end = max(FileSystem.byteCount(ofFile: dataPath), Self.end(of: try environment.information))
        let step = Self.stepByteCount
        if try FileSystem.setAside(end + (missing + step - 1) / step * step, for: dataPath) {
            measureRoom()
        } else {
            // On a file system that cannot reserve space, absorbing may fail while the disk is full.
            setsSpaceAside.store(false, ordering: .relaxed)
            room.store(.max, ordering: .releasing)
        }
    }

    /// Releases the reserved space, because opening and closing need a little space on a full disk.
    ///
    /// The tail must be empty, and the caller makes sure that no commit happens during the call.
    func giveRoomBack() throws {
        try FileSystem.shorten(dataPath, to: Self.end(of: environment.information))
        measureRoom()
    }

    private var dataPath: String { files.directory + "/data.mdb" }
}

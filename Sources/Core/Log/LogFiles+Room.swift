internal import Synchronization
internal import TidelogLMDB

/// The room that the environment has for what stands in the tail: free pages, and space that was set aside behind the last
/// one. What was acknowledged can then be taken in however full the disk is, so that a store opens, and compaction works.
extension LogFiles {
    /// What a transaction that takes in a tail needs besides its events, and what compaction has for its first steps.
    private static let spareByteCount = 192 << 10
    /// By how much the room grows at least.
    private static let stepByteCount = 256 << 10

    /// The room that `byteCount` bytes of events need: an event of a page and a byte takes two pages.
    static func room(for byteCount: Int) -> Int { 2 * byteCount + byteCount / 8 + spareByteCount }

    /// Notes how much room there is: none, if that cannot be told. Called at the beginning and after each commit.
    func measureRoom() {
        guard setsSpaceAside.load(ordering: .relaxed) else { return }
        room.store((try? measuredRoom()) ?? 0, ordering: .releasing)
    }

    private func measuredRoom() throws -> Int {
        let information = try environment.information
        // A view that begins later is of the last commit: it keeps none of these pages from being used.
        let freePageCount = try withReader {
            try $0.freePageCount(besideReaderOf: information.oldestReaderTransactionID)
        }
        return max(0, FileSystem.byteCount(ofFile: dataPath) - Self.end(of: information))
            + freePageCount * information.pageSize
    }

    /// Where the last page in use ends in the file.
    private static func end(of information: Environment.Information) -> Int {
        (information.lastPageNumber + 1) * information.pageSize
    }

    /// Sets space aside so that there is room for `byteCount` bytes. Nobody commits meanwhile.
    ///
    /// - Throws: ``DataStoreError``: `storageFull`, `inputOutput`.
    func makeRoom(_ byteCount: Int) throws {
        // A reader that died keeps pages from being used until somebody clears its slot.
        _ = try? environment.clearStaleReaders()
        measureRoom()
        let missing = byteCount - room.load(ordering: .acquiring)
        guard missing > 0 else { return }
        let end = max(FileSystem.byteCount(ofFile: dataPath), Self.end(of: try environment.information))
        let step = Self.stepByteCount
        if try FileSystem.setAside(end + (missing + step - 1) / step * step, for: dataPath) {
            measureRoom()
        } else {
            // On such a file system absorbing may fail while the disk is full.
            setsSpaceAside.store(false, ordering: .relaxed)
            room.store(.max, ordering: .releasing)
        }
    }

    /// Gives the space back that was set aside: opening and closing need a little of a full disk. Nothing is in the tail, and
    /// nobody commits meanwhile.
    func giveRoomBack() throws {
        try FileSystem.shorten(dataPath, to: Self.end(of: environment.information))
        measureRoom()
    }

    private var dataPath: String { directory + "/data.mdb" }
}

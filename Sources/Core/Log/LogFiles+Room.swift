internal import Synchronization
internal import TidelogLMDB

/// The room in the environment for the groups of the tail. It consists of free pages, and of space that was reserved
/// after the last page.
///
/// Because of this room, acknowledged groups can be absorbed even if the disk is full. A store can then still open, and
/// compaction can still run.
extension LogFiles {
    /// The room that a transaction needs to absorb a tail, in addition to the room for the events. Compaction also uses
    /// it for its first steps.
    private static let spareByteCount = 192 << 10
    /// The smallest step in which the reserved space grows.
    private static let stepByteCount = 256 << 10

    /// The room that `byteCount` bytes of events need. An event of one byte more than a page takes two pages, therefore
    /// the bytes are doubled.
    static func room(for byteCount: Int) -> Int { 2 * byteCount + byteCount / 8 + spareByteCount }

    /// Measures the room. If the measurement fails, the room counts as 0. This method is called at the beginning and
    /// after each commit.
    func measureRoom() {
        guard setsSpaceAside.load(ordering: .relaxed) else { return }
        room.store((try? measuredRoom()) ?? 0, ordering: .releasing)
    }

    private func measuredRoom() throws -> Int {
        let information = try environment.information
        // A view that begins later reads the last commit, so that it does not block any of these pages.
        let freePageCount = try withReader {
            try $0.freePageCount(besideReaderOf: information.oldestReaderTransactionID)
        }
        return max(0, FileSystem.byteCount(ofFile: dataPath) - Self.end(of: information))
            + freePageCount * information.pageSize
    }

    /// The offset in the file at which the last page in use ends.
    private static func end(of information: Environment.Information) -> Int {
        (information.lastPageNumber + 1) * information.pageSize
    }

    /// Reserves space so that there is room for `byteCount` bytes. The caller makes sure that no commit happens during
    /// the call.
    ///
    /// - Throws: ``DataStoreError`` with code `storageFull` or `inputOutput`.
    func makeRoom(_ byteCount: Int) throws {
        // The slot of a dead reader blocks free pages until the slot is cleared.
        _ = try? environment.clearStaleReaders()
        measureRoom()
        let missing = byteCount - room.load(ordering: .acquiring)
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

    private var dataPath: String { directory + "/data.mdb" }
}

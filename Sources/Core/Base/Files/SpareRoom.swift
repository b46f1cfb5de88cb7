/// Disk space that is set aside for work that frees space: deletions, compactions and the opening of a store.
///
/// The space is the file `room` in the directory of the store (FORMATS, section 1). If such work finds the disk full, the
/// file is emptied, and the work is done again. Afterwards the file takes as much space as the disk has. Saves do not use
/// this space.
struct SpareRoom: Sendable {
    private let path: String
    let directory: String

    /// The space that is set aside. A deletion needs it in the log, in its tail and in the rows.
    private static let byteCount = 2 << 20
    /// The space that is enough for deletions and a compaction in small steps. If the disk has only that much, all of it is set
    /// aside.
    private static let byteCountForDeletions = 512 << 10
    /// The space that is left for small saves, whose rows may have free pages but also need space in a write-ahead log.
    private static let byteCountForSaves = 192 << 10
    /// The smallest space that is worth setting aside.
    private static let leastByteCount = 64 << 10

    init(directory: String) {
        self.directory = directory
        path = directory + "/room"
    }

    /// The bytes that are set aside.
    var byteCount: Int { FileSystem.byteCount(ofFile: path) }

    /// Whether any space is set aside.
    var isThere: Bool { byteCount > 0 }

    /// Sets space aside.
    ///
    /// - Parameter leavesSpace: Whether at least three quarters of the free space are left for saves. Otherwise as much is set
    ///   aside as the disk has, and a part that is enough for small saves is left if possible.
    func setAside(leavingSpace leavesSpace: Bool) {
        let present = byteCount
        var wanted = Self.byteCount
        let free = FileSystem.freeByteCount(directory)
        if leavesSpace {
            while wanted > free / 4, wanted > 0 { wanted /= 2 }
        } else {
            wanted = min(wanted, present + max(free - Self.byteCountForSaves, min(free, Self.byteCountForDeletions)))
        }
        while wanted >= max(Self.leastByteCount, present + 1) {
            do {
                // On a file system that cannot reserve space, there is no guarantee for a full disk.
                if try !FileSystem.setAside(wanted, for: path, creates: true) { try? FileSystem.removeTree(path) }
                return
            } catch {
                try? FileSystem.shorten(path, to: present)
                wanted -= Self.leastByteCount
            }
        }
    }

    /// Calls `body` while the disk has the space that was set aside.
    func lend<Result>(_ body: () throws -> Result) rethrows -> Result {
        try? FileSystem.shorten(path, to: 0)
        defer { setAside(leavingSpace: false) }
        return try body()
    }

}

extension SpareRoom? {
    /// Calls `body`, and calls it a second time with the space that is set aside if the disk is full.
    func lendIfFull<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as DataStoreError where error.code == .storageFull {
            guard let self, self.isThere else { throw error }
            return try self.lend(body)
        }
    }
}

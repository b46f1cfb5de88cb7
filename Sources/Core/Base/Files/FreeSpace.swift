/// The free space of a store's disk.
///
/// The system is asked for it only after so many bytes were written that the disk could be nearly full.
struct FreeSpace {
    private let path: String
    private var byteCountUntilCheck = 0

    /// A disk with less free space is nearly full. Rows of the events that wait to be projected usually need less.
    private static let scarceByteCount = 16 << 20
    /// The most bytes that are written between two checks, because other programs write too.
    private static let mostUncheckedByteCount = 4 << 20

    init(path: String) { self.path = path }

    /// The free bytes at present.
    var byteCount: Int { FileSystem.freeByteCount(path) }

    /// Whether the disk is nearly full if events of `byteCount` bytes and their rows are written.
    mutating func isScarce(for byteCount: Int) -> Bool {
        byteCountUntilCheck -= byteCount
        guard byteCountUntilCheck < 0 else { return false }
        let spare = self.byteCount - 8 * byteCount - Self.scarceByteCount
        // Events of one byte take up to eight bytes of the disk, in the log and in the rows.
        byteCountUntilCheck = max(0, min(spare / 8, Self.mostUncheckedByteCount))
        return spare < 0
    }
}

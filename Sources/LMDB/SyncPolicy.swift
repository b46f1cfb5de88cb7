internal import CLMDB

/// The time at which a commit reaches the device.
public enum SyncPolicy: Sendable, Hashable, CaseIterable {
    /// Before the commit returns: first the data, then the meta page. Commits survive power loss.
    case full

    /// The data is written before the meta page, and the meta page with the next commit or with ``Environment/sync()``. Power
    /// loss may undo the last commits, but it cannot damage the file.
    case noMetaSync

    /// At a time that the system chooses, or with ``Environment/sync()``. Power loss may damage the file.
    case noSync

    var flags: UInt32 {
        switch self {
        case .full: 0
        case .noMetaSync: UInt32(MDB_NOMETASYNC)
        case .noSync: UInt32(MDB_NOSYNC)
        }
    }
}

internal import CLMDB

/// When a commit reaches the device.
public enum SyncPolicy: Sendable, Hashable, CaseIterable {
    /// Before the commit returns: data, then the meta page. What committed survives power loss.
    case full

    /// The data before the meta page, the meta page with the next commit or ``Environment/sync()``. Power loss may
    /// undo the last commits but cannot damage the file.
    case noMetaSync

    /// When the system sees fit, or at ``Environment/sync()``. Power loss may damage the file.
    case noSync

    var flags: UInt32 {
        switch self {
        case .full: 0
        case .noMetaSync: UInt32(MDB_NOMETASYNC)
        case .noSync: UInt32(MDB_NOSYNC)
        }
    }
}

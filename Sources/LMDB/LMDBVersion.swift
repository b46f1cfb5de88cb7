internal import CLMDB

/// The version of the LMDB library in use at run time.
public struct LMDBVersion: Sendable, Hashable {
    /// The first number.
    public let major: Int

    /// The second number.
    public let minor: Int

    /// The third number.
    public let patch: Int

    /// The version of the library this process runs.
    public static var current: LMDBVersion {
        var (major, minor, patch): (Int32, Int32, Int32) = (0, 0, 0)
        mdb_version(&major, &minor, &patch)
        return LMDBVersion(major: Int(major), minor: Int(minor), patch: Int(patch))
    }

    /// Whether the library needs opens and closes kept apart: 0.9.26 to 0.9.31 race on the mutexes in the lock file
    /// when one process opens an environment while another closes it (ITS#10095). This module always keeps them
    /// apart, see ``Environment``.
    public var hasMutexRace: Bool {
        major == 0 && minor == 9 && (26...31).contains(patch)
    }
}

extension LMDBVersion: CustomStringConvertible {
    /// For example `0.9.24`.
    public var description: String { "\(major).\(minor).\(patch)" }
}

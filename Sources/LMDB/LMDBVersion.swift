internal import CLMDB

/// The version of the LMDB library that is used at run time.
public struct LMDBVersion: Sendable, Hashable {
    /// The first number.
    public let major: Int

    /// The second number.
    public let minor: Int

    /// The third number.
    public let patch: Int

    /// The version of the library that this process uses.
    public static var current: LMDBVersion {
        var (major, minor, patch): (Int32, Int32, Int32) = (0, 0, 0)
        mdb_version(&major, &minor, &patch)
        return LMDBVersion(major: Int(major), minor: Int(minor), patch: Int(patch))
    }

    /// The version of the library that this module was compiled with.
    public static let built = LMDBVersion(
        major: Int(MDB_VERSION_MAJOR), minor: Int(MDB_VERSION_MINOR), patch: Int(MDB_VERSION_PATCH))

    /// Whether the library reads and writes data files of format 1, like all releases of LMDB 0.9.
    ///
    /// LMDB 1.0 has another format. Its preview, which has the version number 0.9.90, also has another format.
    public var hasKnownFormat: Bool { major == 0 && minor == 9 && patch < 90 }

    /// Throws `versionMismatch` if a library of this version does not read and write the known format.
    func check() throws(LMDBError) {
        guard !hasKnownFormat else { return }
        throw LMDBError(
            .versionMismatch, "check the library",
            "this program was built with LMDB \(Self.built) and found LMDB \(self), whose files have another format "
                + "than LMDB 0.9's")
    }
}

extension LMDBVersion: CustomStringConvertible {
    /// For example `0.9.24`.
    public var description: String { "\(major).\(minor).\(patch)" }
}

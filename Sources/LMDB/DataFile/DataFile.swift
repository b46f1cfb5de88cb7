internal import TidelogPlatform

/// A data file that is read as a file and never mapped, so that LMDB may refuse to open it. The file is never written.
package final class DataFile: Sendable {
    private static let operation: StaticString = "read the data file"

    /// The number of bytes of the file.
    package let byteCount: Int
    private let file: FileDescriptor
    private let claim: OpenRegistry.Claim

    /// Opens the data file in `directory`.
    ///
    /// - Throws: `fileNotFound`; `versionMismatch` if another version of LMDB wrote the file; `alreadyOpen` if this process has
    ///   it open; `unsafePath`; or an error of the system.
    package init(directory: String) throws(LMDBError) {
        ProcessStamp.start()
        try EnvironmentDirectory.check(directory, isReadOnly: true, allowsNetworkFileSystem: true)
        file = try FileDescriptor(
            path: directory + EnvironmentDirectory.dataFile, flags: O_RDONLY, operation: Self.operation)
        let status = try file.status(Self.operation)
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw LMDBError(.unsafePath, Self.operation, "not a regular file")
        }
        try DataFileFormat.check(file, Self.operation)
        claim = try OpenRegistry.Claim(
            file, device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(status.st_ino))
        byteCount = Int(status.st_size)
    }

    /// Reads up to `count` bytes from `offset`. Fewer bytes are returned at the end of the file.
    package func read(_ count: Int, at offset: Int) throws(LMDBError) -> [UInt8] {
        guard count > 0, offset >= 0, offset < byteCount else { return [] }
        return try file.read(min(count, byteCount - offset), at: Int64(offset), Self.operation)
    }
}

internal import CSystem
internal import TidelogPlatform

/// Checks that a directory is safe to keep an environment in.
package enum EnvironmentDirectory {
    static let dataFile = "/data.mdb"
    static let fileNames = [dataFile, "/lock.mdb", "/open.lock"]

    /// Whether this process can write the lock files, so that it can take part in the locks of the environment in `path`.
    static func takesLocks(_ path: String) -> Bool {
        FilePermissions.allowWriting(["lock.mdb", "open.lock"], in: path)
    }

    /// Throws an error if `path` is not a safe directory. A safe directory belongs to this user, unless it is only read, and
    /// no other user may write it. The environment's files in it are regular files if they exist.
    static func check(_ path: String, isReadOnly: Bool, allowsNetworkFileSystem: Bool) throws(LMDBError) {
        let operation: StaticString = "check the directory"
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw LMDBError(.unsafePath, operation, "an empty path, or one with a NUL")
        }
        var path = path
        while path.count > 1 && path.hasSuffix("/") { path.removeLast() }  // "link/" would follow the link
        var status = stat()
        guard lstat(path, &status) == 0 else { throw LMDBError(errno, operation) }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw LMDBError(.unsafePath, operation, "not a directory, or a symbolic link to one")
        }
        guard isReadOnly || status.st_uid == geteuid() else {
            throw LMDBError(.unsafePath, operation, "owned by another user")
        }
        guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
            throw LMDBError(.unsafePath, operation, "writable by other users")
        }
        for name in fileNames {
            guard lstat(path + name, &status) == 0 else {
                if errno == ENOENT { continue }
                throw LMDBError(errno, operation)
            }
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw LMDBError(.unsafePath, operation, "\(name.dropFirst()) is not a regular file")
            }
        }
        if !allowsNetworkFileSystem { try checkFileSystem(path) }
    }

    private static func checkFileSystem(_ path: String) throws(LMDBError) {
        let operation: StaticString = "check the file system"
        var status = statfs()
        guard statfs(path, &status) == 0 else { throw LMDBError(errno, operation) }
        #if canImport(Darwin)
            let isShareable = status.f_flags & UInt32(MNT_LOCAL) != 0
        #else
            let isShareable = !isForeign(fileSystemType: UInt32(truncatingIfNeeded: status.f_type))
        #endif
        guard isShareable else { throw LMDBError(.networkFileSystem, operation) }
    }

    /// Whether a Linux file system type (statfs(2), f_type) does not keep maps and locks consistent between its users.
    package static func isForeign(fileSystemType: UInt32) -> Bool {
        switch fileSystemType {
        case 0x6969,  // NFS
            0x517B, 0xFE53_4D42, 0xFF53_4D42,  // SMB, SMB2, CIFS
            0x6573_5546,  // FUSE
            0x0102_1997,  // 9P
            0x5346_414F, 0x00C3_6400, 0x7375_7245, 0x564C:  // AFS, Ceph, Coda, NCP
            true
        default: false
        }
    }

    /// Makes a directory's entries durable, for example a file that was created in it.
    static func synchronize(_ path: String) throws(LMDBError) {
        let directory = try FileDescriptor(path: path, flags: O_RDONLY | O_DIRECTORY, operation: "sync the directory")
        try directory.synchronize("sync the directory")
    }

    /// Creates a directory that only its owner can use, and makes its entry in the parent directory durable.
    static func create(_ path: String) throws(LMDBError) {
        guard mkdir(path, 0o700) == 0 else { throw LMDBError(errno, "create the directory") }
        // An absolute path has a parent. The parent of a relative path without a slash is the current directory.
        let trimmed = path.last == "/" ? path.dropLast() : path[...]
        let parent = trimmed.lastIndex(of: "/").map { trimmed[...$0] } ?? "."
        let directory = try FileDescriptor(
            path: String(parent) + "/.", flags: O_RDONLY | O_DIRECTORY, operation: "sync the parent directory")
        try directory.synchronize("sync the parent directory")
    }
}

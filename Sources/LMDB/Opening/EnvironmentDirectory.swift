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
        guard let isShareable = Platform.keepsMapsConsistent(path) else { throw LMDBError(errno, operation) }
        guard isShareable else { throw LMDBError(.networkFileSystem, operation) }
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

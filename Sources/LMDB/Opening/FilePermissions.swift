internal import TidelogPlatform

/// The permissions of this process for files that may belong to another user or be on a read-only file system.
package enum FilePermissions {
    /// Whether this process may write the file or directory at `path`.
    package static func allowWriting(_ path: String) -> Bool { faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0 }

    /// Whether the file or directory at `path` belongs to the user of this process.
    package static func areOwn(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_uid == geteuid()
    }

    /// Whether this process may write each of `files` in `directory`, and create the missing ones.
    ///
    /// In a directory of another user the answer is always no, because the other user could not write a file that this
    /// process creates.
    package static func allowWriting(_ files: [String], in directory: String) -> Bool {
        areOwn(directory)
            && files.allSatisfy { name in
                // Another process may remove the file at any moment, so a single call has to answer for it.
                allowWriting(directory + "/" + name) || errno == ENOENT && allowWriting(directory)
            }
    }
}

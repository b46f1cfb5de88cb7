internal import TidelogLMDB
internal import TidelogPlatform

/// The few file operations that a store needs. Each one throws a clear error.
package enum FileSystem {
    static func failure(_ what: String, _ path: String) -> DataStoreError {
        let number = errno
        let code: DataStoreError.Code = number == ENOSPC || number == EDQUOT ? .storageFull : .inputOutput
        return DataStoreError(
            code, "Could not \(what) \(path): \(String(cString: strerror(number))).",
            recovery: "Check the path, its permissions and the space on its disk.")
    }

    /// The status of the file at `path`. A symbolic link at the end of the path is not followed.
    private static func status(_ path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }

    /// Whether there is a file or directory at `path`.
    ///
    /// - Throws: ``DataStoreError``: `inputOutput` if this cannot be known, for example in a directory that this process may
    ///   not enter.
    package static func exists(_ path: String) throws -> Bool {
        if status(path) != nil { return true }
        guard errno == ENOENT || errno == ENOTDIR else { throw failure("look at", path) }
        return false
    }

    package static func isDirectory(_ path: String) -> Bool {
        status(path).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
    }

    /// Checks that `path` is a directory of the current user that other users cannot write. A directory that is only read
    /// may belong to another user. Links and other files are refused.
    static func checkDirectory(_ path: String, isReadOnly: Bool = false) throws {
        guard let status = status(path) else { throw failure("look at", path) }
        let reason: String?
        var recovery = "Use a directory of your own that only you may write."
        if status.st_mode & S_IFMT == S_IFLNK {
            reason = "is a symbolic link"
        } else if status.st_mode & S_IFMT != S_IFDIR {
            reason = "is no directory"
        } else if !isReadOnly, status.st_uid != geteuid() {
            reason = "belongs to another user"
            recovery = "Only its owner may write it. Other users may read it if its permissions allow that."
        } else if status.st_mode & 0o022 != 0 {
            reason = "may be written by other users"
        } else {
            reason = nil
        }
        if let reason {
            throw DataStoreError(.unsafePath, "\(path) \(reason).", recovery: recovery)
        }
    }

    /// Whether this process may write the file or directory at `path`.
    static func canWrite(_ path: String) -> Bool { FilePermissions.allowWriting(path) }

    /// Whether this process may write each of `files` in its own directory `directory`, and create the missing ones.
    package static func canWrite(_ files: [String], in directory: String) -> Bool {
        FilePermissions.allowWriting(files, in: directory)
    }

    package static func createDirectory(_ path: String) throws {
        guard mkdir(path, 0o700) == 0 else { throw failure("create", path) }
    }

    /// Creates the directory at `path` and its missing parents. Only their owner can access them, and their names are
    /// durable. A directory that another process creates at the same time is accepted.
    static func createDirectories(_ path: String) throws {
        var missing: [String] = []
        var next = path
        while try !exists(next) {
            missing.append(next)
            next = parent(of: next)
        }
        for directory in missing.reversed() {
            guard mkdir(directory, 0o700) == 0 || errno == EEXIST else { throw failure("create", directory) }
            try syncDirectory(parent(of: directory))
        }
    }

    package static func names(in directory: String) throws -> [String] {
        guard let stream = opendir(directory) else { throw failure("list", directory) }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            // The name is read in place, because an entry is only as long as its name, and often shorter than its type.
            guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { continue }
            let bytes = UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)
            let name = String(cString: bytes)
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    package static func removeTree(_ path: String) throws {
        guard let status = status(path) else { return }
        if status.st_mode & S_IFMT == S_IFDIR {
            for name in try names(in: path) { try removeTree(path + "/" + name) }
            guard rmdir(path) == 0 else { throw failure("remove", path) }
        } else {
            guard unlink(path) == 0 else { throw failure("remove", path) }
        }
    }

    /// Renames a file, and makes the new name durable.
    package static func rename(_ source: String, to target: String) throws {
        guard Platform.rename(source, to: target) == 0 else { throw failure("rename", source) }
        try syncDirectory(parent(of: target))
    }

    package static func syncDirectory(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open", path) }
        defer { close(descriptor) }
        guard Platform.synchronize(descriptor) == 0 else { throw failure("sync", path) }
    }

    static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Writes a small file completely and durably, and replaces the old file. A process that reads the file during this
    /// time sees the old one.
    static func write(_ text: String, to path: String) throws {
        let unfinished = path + StoreDirectory.unfinished
        try writeNew(text, to: unfinished)
        try rename(unfinished, to: path)
    }

    private static func writeNew(_ text: String, to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("open", path) }
        defer { close(descriptor) }
        var text = text
        let isWritten = text.withUTF8 { bytes in
            Platform.write(UnsafeRawBufferPointer(bytes), to: descriptor) == bytes.count
        }
        guard isWritten, Platform.synchronize(descriptor) == 0 else { throw failure("write", path) }
    }

    /// Reads a small file. The result is `nil` if there is no file.
    static func read(_ path: String, maximumByteCount: Int = 4_096) throws -> String? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("open", path)
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: maximumByteCount)
        let count = Platform.read(descriptor, into: &bytes)
        guard count >= 0 else { throw failure("read", path) }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    /// The time of the last change of the file at `path`, in nanoseconds since 1970-01-01T00:00:00Z; `nil` if there is no file.
    static func modificationTime(_ path: String) -> Int64? {
        status(path).map { status in
            let time = Platform.modificationTime(status)
            return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        }
    }

    /// Makes the file at `path` at least `byteCount` bytes long, and reserves disk space for the new bytes.
    ///
    /// - Parameter creates: Whether the file is created if it does not exist.
    /// - Returns: Whether the file system can reserve space. If not, nothing changes.
    /// - Throws: ``DataStoreError`` with code `storageFull` or `inputOutput`.
    static func setAside(_ byteCount: Int, for path: String, creates: Bool = false) throws -> Bool {
        let file = open(path, O_RDWR | (creates ? O_CREAT : 0) | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure("open", path) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw failure("look at", path) }
        let missing = byteCount - Int(status.st_size)
        guard missing > 0 else { return true }
        let error = Platform.lengthen(file, from: status.st_size, by: off_t(missing))
        if error == EOPNOTSUPP { return false }
        errno = error
        guard error == 0 else { throw failure("set space aside for", path) }
        return true
    }

    /// The bytes of disk space that are free for the file or directory at `path`, 0 if that is unknown.
    static func freeByteCount(_ path: String) -> Int {
        var status = statvfs()
        return statvfs(path, &status) == 0 ? Int(status.f_bavail) * Int(status.f_frsize) : 0
    }

    /// Shortens the file at `path` to `byteCount` bytes if it is longer.
    static func shorten(_ path: String, to byteCount: Int) throws {
        guard Self.byteCount(ofFile: path) > byteCount else { return }
        guard truncate(path, off_t(byteCount)) == 0 else { throw failure("shorten", path) }
    }

    /// The length of the file at `path`, 0 if there is none.
    package static func byteCount(ofFile path: String) -> Int { status(path).map { Int($0.st_size) } ?? 0 }

    /// The bytes of disk space that the files below `path` take.
    package static func byteCount(_ path: String) -> Int {
        guard let status = status(path) else { return 0 }
        guard status.st_mode & S_IFMT == S_IFDIR else { return Int(status.st_blocks) * 512 }
        return ((try? names(in: path)) ?? []).reduce(0) { $0 + byteCount(path + "/" + $1) }
    }

    // MARK: Locks

    /// Opens `path`, and waits until this process has a lock on it. The lock ends when the descriptor is closed.
    ///
    /// - Parameters:
    ///   - flags: The flags of `open`. A file that they create can be read and written by its owner alone.
    ///   - kind: `LOCK_SH` or `LOCK_EX`.
    ///   - busy: The error if other processes keep the lock until `deadline`.
    static func openLocked(
        _ path: String, _ flags: Int32, _ kind: Int32, until deadline: ContinuousClock.Instant,
        busy: () -> DataStoreError
    ) throws -> Int32 {
        let descriptor = open(path, flags | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("open", path) }
        do {
            while flock(descriptor, kind | LOCK_NB) != 0 {
                guard errno == EWOULDBLOCK || errno == EINTR else { throw failure("lock", path) }
                guard ContinuousClock.now < deadline else { throw busy() }
                Blocking.pause(microseconds: 20_000)
            }
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }
}

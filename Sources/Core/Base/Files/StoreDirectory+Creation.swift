internal import TidelogPlatform

extension StoreDirectory {
    /// Creates a store with one log and no rows at `path`. The store is created completely or not at all. The closure
    /// `build` makes the log in the directory that it gets. If several processes create the same store at the same
    /// time, one of them succeeds.
    ///
    /// - Parameter source: The directory of the store that is copied. The new store must not be inside it.
    /// - Throws: ``DataStoreError``: `alreadyExists` if there is a file at `path`, or if another call is creating the
    ///   store; `unsafePath`. Errors of `build` are also thrown.
    package static func create(
        _ path: String, outside source: String? = nil, _ build: (_ log: String) throws -> Void
    ) throws {
        try checkName(path)
        if let source, try FileSystem.isDirectory(FileSystem.parent(of: path), within: source) {
            throw DataStoreError(
                .unsafePath, "\(path) lies in the store's own directory.",
                recovery: "Use a path outside of it. The store deletes unknown files in its directory.")
        }
        let unfinished = path + Self.unfinished
        try withExtendedLifetime(StoreConstruction(unfinished)) {
            guard try !FileSystem.exists(path) else {
                try? FileSystem.removeTree(unfinished)
                throw alreadyExists(path, "Name a path where there is nothing.")
            }
            let (generation, log) = (unfinished + "/generation-1", unfinished + "/generation-1/log")
            do {
                for directory in [generation, log] { try FileSystem.createDirectory(directory) }
                try build(log)
                for name in try FileSystem.names(in: log) where name != "data.mdb" {
                    try FileSystem.removeTree(log + "/" + name)
                }
                for directory in [log, generation, unfinished] { try FileSystem.syncDirectory(directory) }
                try FileSystem.rename(unfinished, to: path)
            } catch {
                try? FileSystem.removeTree(unfinished)
                throw error
            }
        }
    }

    fileprivate static func alreadyExists(_ path: String, _ recovery: String) -> DataStoreError {
        DataStoreError(.alreadyExists, "\(path) exists already.", recovery: recovery)
    }
}

/// An empty directory in which one process at a time creates a store. The lock on the directory ends with the process,
/// in whichever way the process ends. The next process can then use the directory.
private struct StoreConstruction: ~Copyable {
    private let descriptor: Int32

    init(_ path: String) throws {
        while true {
            if mkdir(path, 0o700) != 0, errno != EEXIST { throw FileSystem.failure("create", path) }
            try FileSystem.checkDirectory(path)
            let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            // The process that used the directory before has renamed or removed it.
            if descriptor < 0, errno == ENOENT { continue }
            guard descriptor >= 0 else { throw FileSystem.failure("open", path) }
            do {
                guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                    guard errno == EWOULDBLOCK else { throw FileSystem.failure("lock", path) }
                    throw DataStoreError(
                        .alreadyExists, "Another process is creating \(path).",
                        recovery: "Use another path, or wait until the other process has finished.")
                }
                guard FileSystem.isOpen(descriptor, at: path) else {
                    close(descriptor)
                    continue
                }
                try Self.empty(path)
            } catch {
                close(descriptor)
                throw error
            }
            self.descriptor = descriptor
            return
        }
    }

    /// Removes the remains of a process that was killed. If there are other files, this method throws an error.
    private static func empty(_ path: String) throws {
        guard try FileSystem.names(in: path).allSatisfy({ $0 == "generation-1" }) else {
            throw StoreDirectory.alreadyExists(path, "Move it away.")
        }
        try FileSystem.removeTree(path + "/generation-1")
    }

    deinit { close(descriptor) }
}

extension FileSystem {
    /// Whether `descriptor` and `path` belong to the same file.
    fileprivate static func isOpen(_ descriptor: Int32, at path: String) -> Bool {
        var (opened, found) = (stat(), stat())
        return fstat(descriptor, &opened) == 0 && lstat(path, &found) == 0 && opened.st_dev == found.st_dev
            && opened.st_ino == found.st_ino
    }

    /// Whether the directory at `path` is `directory` or is inside it. Links and different names for the same directory
    /// do not matter.
    fileprivate static func isDirectory(_ path: String, within directory: String) throws -> Bool {
        var (outer, found) = (stat(), stat())
        guard stat(directory, &outer) == 0 else { throw failure("look at", directory) }
        guard let resolved = realpath(path, nil) else { throw failure("look at", path) }
        defer { free(resolved) }
        var next = String(cString: resolved)
        while true {
            guard stat(next, &found) == 0 else { throw failure("look at", next) }
            if found.st_dev == outer.st_dev, found.st_ino == outer.st_ino { return true }
            if next == "/" { return false }
            next = parent(of: next)
        }
    }
}

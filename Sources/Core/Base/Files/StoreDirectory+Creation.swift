#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

extension StoreDirectory {
    /// Makes a store of one log and no rows at `path` whole or not at all: `build` makes the log in the directory it is
    /// handed. Of several that make one at the same time, in whichever processes, one does.
    ///
    /// - Parameter source: The directory of the store that is copied: nothing is made in there.
    /// - Throws: ``DataStoreError``: `alreadyExists` if there is anything at `path`, or somebody else is making it;
    ///   `unsafePath`; what `build` throws.
    static func create(
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
            guard !FileSystem.exists(path) else {
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

/// An empty directory in which one process at a time makes a store. The lock on it ends with the process, however that ends:
/// then the next one takes the directory over.
private struct StoreConstruction: ~Copyable {
    private let descriptor: Int32

    init(_ path: String) throws {
        while true {
            if mkdir(path, 0o700) != 0, errno != EEXIST { throw FileSystem.failure("create", path) }
            try FileSystem.checkDirectory(path)
            let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            // Renamed or removed by the one that was here.
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

    /// Removes what one that was killed left; whatever else is there stays.
    private static func empty(_ path: String) throws {
        guard try FileSystem.names(in: path).allSatisfy({ $0 == "generation-1" }) else {
            throw StoreDirectory.alreadyExists(path, "Move it away.")
        }
        try FileSystem.removeTree(path + "/generation-1")
    }

    deinit { close(descriptor) }
}

extension FileSystem {
    /// Whether `descriptor` is of what stands at `path`.
    fileprivate static func isOpen(_ descriptor: Int32, at path: String) -> Bool {
        var (opened, found) = (stat(), stat())
        return fstat(descriptor, &opened) == 0 && lstat(path, &found) == 0 && opened.st_dev == found.st_dev
            && opened.st_ino == found.st_ino
    }

    /// Whether the directory at `path` is `directory` or lies in it, by whatever names both are called.
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

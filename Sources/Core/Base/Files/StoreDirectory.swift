internal import TidelogPlatform

/// The directory of a store (FORMATS, section 1). It contains the generations with their logs and rows. The highest
/// numbers are the current ones.
package struct StoreDirectory: Sendable {
    let path: String
    /// Keeps writers away while this process reads. `nil` if this process takes part in the locks of the log and the rows, or
    /// if it writes the store.
    let readerLock: ReaderLock?

    static let unfinished = ".new"

    /// Opens the directory at `path` for writing. If it does not exist and `create` is true, it is created with its missing
    /// parents.
    init(_ path: String, create: Bool) throws {
        self.path = path
        readerLock = nil
        try Self.checkName(path)
        if try !FileSystem.exists(path) {
            guard create else { throw DataStoreError.noStore(at: path) }
            try FileSystem.createDirectories(path)
        }
        try FileSystem.checkDirectory(path)
        FileSystem.protectUntilFirstUnlock(path)
    }

    /// Opens the directory at `path` for reading. It may belong to another user.
    ///
    /// - Throws: ``DataStoreError``: `notFound`, `unsafePath`, `inputOutput`; `locked` if another process writes the store and
    ///   this process cannot take part in the locks.
    package init(reading path: String) throws {
        self.path = path
        try Self.checkName(path)
        guard try FileSystem.exists(path) else { throw DataStoreError.noStore(at: path) }
        try FileSystem.checkDirectory(path, isReadOnly: true)
        readerLock = try ReaderLock.isNeeded(for: Self.currentDirectories(path)) ? try ReaderLock(directory: path) : nil
    }

    /// The directories that are read in the store at `path`.
    private static func currentDirectories(_ path: String) throws -> [String] {
        let directory = StoreDirectory(unchecked: path)
        guard let files = try directory.currentFiles() else { return [path] }
        let rows = files.rows > 0 ? [directory.rows(files.generation, files.rows)] : []
        return [path, directory.generation(files.generation), directory.log(files.generation, files.log)] + rows
    }

    private init(unchecked path: String) { (self.path, readerLock) = (path, nil) }

    /// Checks the name of a store: 1 to 64 of the characters `A-Z a-z 0-9 _ . -`, and no dot at the beginning.
    static func checkName(_ path: String) throws {
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        let isAllowed = { (byte: UInt8) -> Bool in
            (byte | 32 >= 97 && byte | 32 <= 122) || (48...57).contains(byte) || [45, 46, 95].contains(byte)
        }
        guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy(isAllowed), name.utf8.first != 46 else {
            throw DataStoreError(
                .unsafePath, "The last part of the store's path cannot be the name of a store.",
                recovery: "Use 1 to 64 letters, digits, `_`, `-` and `.`, not beginning with a dot.")
        }
    }

    /// The highest number after `prefix` among the directories whose name is `prefix` and a number, 0 if there is none.
    static func highest(_ prefix: String, in directory: String) throws -> Int {
        try FileSystem.names(in: directory).compactMap { number($0, prefix) }.max() ?? 0
    }

    static func number(_ name: String, _ prefix: String) -> Int? {
        guard name.hasPrefix(prefix) else { return nil }
        return Int(name.dropFirst(prefix.count))
    }

    func generation(_ number: Int) -> String { "\(path)/generation-\(number)" }

    /// The number of the current log of a generation. Shrinking a log creates the next number.
    func logNumber(_ generation: Int) throws -> Int {
        max(1, try Self.highest("log-", in: self.generation(generation)))
    }

    package func log(_ generation: Int, _ number: Int) -> String {
        Self.log(in: self.generation(generation), number)
    }

    private static func log(in generation: String, _ number: Int) -> String {
        generation + (number == 1 ? "/log" : "/log-\(number)")
    }

    /// The path of the current log in the generation that contains `path`, the path of an earlier log.
    static func currentLog(after path: String) throws -> String {
        let generation = FileSystem.parent(of: path)
        return log(in: generation, max(1, try highest("log-", in: generation)))
    }

    package func rows(_ generation: Int, _ number: Int) -> String { "\(self.generation(generation))/rows-\(number)" }

    /// The numbers of a store's current files.
    package struct CurrentFiles: Equatable {
        package let generation: Int
        package let log: Int
        package let rows: Int
    }

    /// The numbers of the current files, `nil` if there are none.
    package func currentFiles() throws -> CurrentFiles? {
        while true {
            let generation = try Self.highest("generation-", in: path)
            guard generation > 0 else { return nil }
            do {
                return CurrentFiles(
                    generation: generation, log: try logNumber(generation),
                    rows: try Self.highest("rows-", in: self.generation(generation)))
            } catch {
                // The store was cleared during the search.
                guard try Self.highest("generation-", in: path) != generation else { throw error }
            }
        }
    }

    /// Removes files that the last writer had not finished, or had already replaced.
    func removeLeftovers() throws {
        let current = try Self.highest("generation-", in: path)
        for name in try FileSystem.names(in: path) where name.hasPrefix("generation-") {
            if name.hasSuffix(Self.unfinished) || Self.number(name, "generation-") != current {
                try FileSystem.removeTree("\(path)/\(name)")
            }
        }
        guard current > 0 else { return }
        let rows = try Self.highest("rows-", in: generation(current))
        let log = try logNumber(current)
        for name in try FileSystem.names(in: generation(current)) {
            let isCurrent =
                if name.hasSuffix(Self.unfinished) {
                    false
                } else if let number = Self.number(name, "rows-") {
                    number == rows
                } else {
                    (name == "log" ? 1 : Self.number(name, "log-") ?? log) == log
                }
            if !isCurrent { try FileSystem.removeTree("\(generation(current))/\(name)") }
        }
    }

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

extension DataStoreError {
    package static func noStore(at path: String) -> DataStoreError {
        DataStoreError(.notFound, "There is no store at \(path).", recovery: "Check the path, or create the store.")
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

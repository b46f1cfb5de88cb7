internal import CSQLite
@_spi(Adapters) internal import TidelogCore
internal import TidelogPlatform

/// The file `rows.sqlite`: its path, and the check that this adapter wrote it.
struct RowsFile {
    let isReadOnly: Bool
    private let path: String
    /// Whether this process cannot take part in SQLite's locks. The store then makes sure that no process changes the file.
    private let isUnchanging: Bool

    /// The number in the file's header that identifies this adapter: `Tide`.
    private static let applicationID: Int32 = 0x5469_6465
    /// The version of the file's layout (FORMATS, section 7.4).
    private static let version: Int32 = 1
    /// The bytes that SQLite adds to the path of a file for the names of its further files: `-journal`.
    private static let endingByteCount = 8

    /// The file in `directory`. It is created if it does not exist, so that only its owner can read and write it.
    init(directory: String, isReadOnly: Bool) throws {
        self.isReadOnly = isReadOnly
        // SQLite refuses symbolic links anywhere in the path. Links above the directory were chosen by the user.
        guard let resolved = realpath(directory, nil) else {
            throw Self.failed("The directory of the rows is missing.")
        }
        defer { free(resolved) }
        path = String(cString: resolved) + "/rows.sqlite"
        isUnchanging =
            isReadOnly && !FileSystem.canWrite(["rows.sqlite-wal", "rows.sqlite-shm"], in: String(cString: resolved))
        try checkLength()
        try check()
    }

    /// SQLite does not open a file whose path is longer than its limit, which includes the endings of its further files. Its
    /// error would not name the reason.
    private func checkLength() throws {
        let limit = sqlite3_vfs_find(nil).map { Int($0.pointee.mxPathname) - Self.endingByteCount } ?? .max
        guard path.utf8.count > limit else { return }
        throw DataStoreError(
            .unsafePath,
            "The path of the rows' file has \(path.utf8.count) bytes, and SQLite opens files with at most \(limit).",
            recovery: "Use a directory with a shorter path, or keep the rows with LMDB.")
    }

    private func check() throws {
        var status = stat()
        if lstat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw DataStoreError(
                    .unsafePath, "The path of the rows' file is no regular file.",
                    recovery: "Remove the link or directory of that name.")
            }
            return
        }
        guard !isReadOnly else {
            throw DataStoreError(
                .projectionUnavailable, "There are no rows to read.", recovery: "Open the store for writing once.")
        }
        let descriptor = systemOpen(path, O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failed("The file of the rows cannot be made.") }
        _ = systemClose(descriptor)
    }

    private static func failed(_ message: String) -> DataStoreError {
        let code: DataStoreError.Code = [ENOSPC, EDQUOT].contains(errno) ? .storageFull : .inputOutput
        return DataStoreError(
            code, message, recovery: "Check the disk and the permissions of the store's directory (errno \(errno)).")
    }

    /// Checks the file and opens the connection that writes, or returns `nil` if the rows are only read.
    func open() throws -> Connection? {
        guard !isReadOnly else {
            try check(try openReader())
            return nil
        }
        let connection = try Connection(path: path, isReading: false)
        try connection.write {
            if try connection.existingTables().isEmpty, try connection.number(.applicationID) == 0 {
                for sql in SQL.createOwnTables { try connection.execute(sql) }
                try connection.execute(.setApplicationID(Self.applicationID))
                try connection.execute(.setUserVersion(Self.version))
            }
            connection.forgetSchema()
            try check(connection)
        }
        return connection
    }

    /// Opens a further connection that reads.
    func openReader() throws -> Connection {
        guard isUnchanging else { return try Connection(path: path, isReading: true) }
        // A writer that was killed leaves a write-ahead log. SQLite reads it only by the file next to it.
        guard logByteCount > 0 else { return try Connection(path: path, isReading: true, isUnchanging: true) }
        guard FileSystem.byteCount(ofFile: path + "-shm") > 0 else {
            throw DataStoreError(
                .projectionUnavailable,
                "The rows have a write-ahead log that SQLite cannot read without writing next to it.",
                recovery: "Copy the store to a directory of your own, or let its owner open it once.")
        }
        return try Connection(path: path, isReading: true)
    }

    /// The bytes that the write-ahead log takes.
    var logByteCount: Int { FileSystem.byteCount(ofFile: path + "-wal") }

    /// Checks that this adapter wrote the file, and that its layout is supported.
    private func check(_ connection: Connection) throws {
        guard try connection.number(.applicationID) == Int64(Self.applicationID) else {
            throw DataStoreError.damagedRows("The file was written by another program.")
        }
        let version = try connection.number(.userVersion)
        guard version <= Int64(Self.version) else {
            throw DataStoreError(
                .newerFormat, "The rows have layout \(version), which this version does not know.",
                recovery: "Use a newer version.")
        }
        guard try connection.existingTables().isSuperset(of: [ObjectNames.meta, ObjectNames.auxiliary]) else {
            throw DataStoreError.damagedRows("Tables are missing.")
        }
        _ = try connection.checkpoint()
    }
}

/// The system's `open` and `close`. Inside the type, its methods hide them.
private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }
private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }

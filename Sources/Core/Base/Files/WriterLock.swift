internal import TidelogPlatform

/// The lock that permits only one writer of a store, in this process and among all processes. The system releases it
/// when the process ends, in whichever way it ends.
struct WriterLock: ~Copyable {
    private let descriptor: Int32
    /// The directory of the store, whose lock processes share that read it without the other locks: ``ReaderLock``.
    private let directoryDescriptor: Int32

    /// Takes the lock of the store in `directory`. Waits at most for the time `patience`.
    ///
    /// - Throws: ``DataStoreError`` with code `locked`, which names the process that has the lock.
    init(directory: String, patience: Duration = .seconds(1)) throws {
        let path = Self.path(directory)
        let deadline = ContinuousClock.now + patience
        let descriptor = try FileSystem.openLocked(path, O_RDWR | O_CREAT | O_NOFOLLOW, LOCK_EX, until: deadline) {
            let owner = Self.owner(directory).map { " in process \($0)" } ?? ""
            return DataStoreError(
                .locked, "The store is open for writing\(owner).",
                recovery: "Close the other writer, or open the store for reading only.")
        }
        do { directoryDescriptor = try Self.lockDirectory(directory, until: deadline) } catch {
            close(descriptor)
            throw error
        }
        var text = "\(getpid())\n"
        _ = ftruncate(descriptor, 0)
        text.withUTF8 { _ = pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        self.descriptor = descriptor
    }

    /// Takes the lock of the store in `directory` if it is free. The result is `nil` if a writer has the lock, or if
    /// this process cannot take it.
    init?(ifFree directory: String) {
        do { try self.init(directory: directory, patience: .zero) } catch { return nil }
    }

    deinit {
        close(directoryDescriptor)
        close(descriptor)
    }

    /// Waits for processes that read the store and cannot take part in the locks of its files.
    private static func lockDirectory(_ directory: String, until deadline: ContinuousClock.Instant) throws -> Int32 {
        try FileSystem.openLocked(directory, O_RDONLY | O_DIRECTORY, LOCK_EX, until: deadline) {
            DataStoreError(
                .locked, "A process that cannot write the store's lock files is reading the store.",
                recovery: "Wait until that process has closed the store.")
        }
    }

    /// The number of the process that took the lock of the store in `directory` last; `nil` if it is not known.
    static func owner(_ directory: String) -> Int? {
        ((try? FileSystem.read(path(directory))) ?? nil).flatMap { Int($0.prefix { $0.isNumber }) }
    }

    /// Whether a writer has the lock of the store in `directory`.
    static func isHeld(_ directory: String) -> Bool {
        let descriptor = open(path(directory), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        // Every writer creates the file.
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        // This lock is shared, so that two processes that check the lock do not take each other for a writer.
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    /// Whether a process has the lock of the store in `directory`, and has written `file` since then. Only the writer writes
    /// `file`, and it also writes to the lock's file when it takes the lock. The times of the two files are therefore compared.
    static func holderHasWritten(_ file: String, in directory: String) -> Bool {
        guard let written = FileSystem.modificationTime(file),
            let locked = FileSystem.modificationTime(path(directory)), written >= locked
        else { return false }
        return isHeld(directory)
    }

    static func path(_ directory: String) -> String { directory + "/writer.lock" }
}

internal import TidelogPlatform
internal import TidelogSynchronization

/// The lock by which a process that only reads a store keeps writers away.
///
/// A process that cannot write the lock files of the log and the rows cannot tell a writer which pages it reads. This is so
/// on a read-only medium, in a directory without write permission, and for the store of another user. Such a process locks
/// the directory of the store instead, which needs no permission to write. Any number of processes share this lock. A writer
/// waits for it as it waits for another writer.
final class ReaderLock: Sendable {
    private let directory: String
    /// The descriptor that holds the lock, or -1 while it is released.
    private let descriptor = Mutex<Int32>(-1)

    /// Locks the store in `directory`.
    ///
    /// - Throws: ``DataStoreError`` with code `locked`.
    init(directory: String) throws {
        self.directory = directory
        try take()
    }

    deinit { release() }

    /// Takes the lock if it was released. Waits at most for the time `patience` until a writer has ended.
    ///
    /// - Throws: ``DataStoreError`` with code `locked`.
    func take(patience: Duration = .seconds(1)) throws {
        let taken = try FileSystem.openLocked(
            directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, LOCK_SH, until: .now + patience
        ) {
            DataStoreError(
                .locked,
                "The store is open for writing, and this process cannot write the store's lock files, which reading "
                    + "during writes needs.",
                recovery: "Read the store after its writer has closed it, or read a backup of it.")
        }
        descriptor.withLock { descriptor in
            if descriptor >= 0 { close(descriptor) }
            descriptor = taken
        }
    }

    /// Allows writers. This is called after the last read.
    func release() {
        descriptor.withLock { descriptor in
            if descriptor >= 0 { close(descriptor) }
            descriptor = -1
        }
    }

    /// Whether reading `directories`, which belong to one store, needs this lock. A directory that a writer has just replaced
    /// does not need it: the opening fails, and its repetition asks again.
    static func isNeeded(for directories: [String]) throws -> Bool {
        try !directories.allSatisfy { directory in
            let isWritable =
                FileSystem.canWrite(directory)
                && FileSystem.canWrite((try? FileSystem.names(in: directory)) ?? [], in: directory)
            return try isWritable || !FileSystem.exists(directory)
        }
    }
}

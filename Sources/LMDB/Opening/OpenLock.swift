internal import TidelogPlatform

/// The file `open.lock` next to the data file. It is locked while an environment is opened or closed, because LMDB 0.9.26
/// to 0.9.31 have a race on the mutexes in the lock file if one process opens an environment while another closes it
/// (ITS#10095).
struct OpenLock: Sendable {
    /// `nil` for an environment whose lock files this process cannot write.
    private let descriptor: FileDescriptor?

    /// No lock, for an environment without LMDB's reader table. The race concerns that table.
    static let none = OpenLock(descriptor: nil)

    private init(descriptor: FileDescriptor?) { self.descriptor = descriptor }

    /// Opens the lock file. Creates it if it does not exist.
    init(directory: String) throws(LMDBError) {
        descriptor = try FileDescriptor(
            path: directory + "/open.lock", flags: O_RDWR | O_CREAT, operation: "open the lock file")
    }

    /// Runs `body` while no other environment in this directory is opened or closed, in this process or another.
    func withLock<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        guard let descriptor else { return try body() }
        // This fails only because of a signal, or on a file system without locks, which is refused elsewhere.
        while flock(descriptor.number, LOCK_EX) != 0 && errno == EINTR {}
        defer { flock(descriptor.number, LOCK_UN) }
        return try body()
    }
}

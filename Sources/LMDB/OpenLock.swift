internal import TidelogPlatform

/// The file `open.lock` next to the data file. It is locked while an environment is opened or closed, because some versions of
/// LMDB have a race if one process opens an environment while another closes it. See ``LMDBVersion/hasMutexRace``.
struct OpenLock: Sendable {
    /// `nil` on a read-only file system, on which there can be no race.
    private let descriptor: FileDescriptor?

    /// Opens the lock file. Creates it if it does not exist.
    init(directory: String, isReadOnly: Bool) throws(LMDBError) {
        do throws(LMDBError) {
            descriptor = try FileDescriptor(
                path: directory + "/open.lock", flags: O_RDWR | O_CREAT, operation: "open the lock file")
        } catch  where isReadOnly && error.code == .readOnlyFileSystem {
            descriptor = nil
        }
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

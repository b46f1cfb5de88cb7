#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The file `open.lock` beside the data file, locked while an environment is opened or closed: some versions of LMDB
/// race when one process opens what another closes, see ``LMDBVersion/hasMutexRace``.
struct OpenLock: Sendable {
    /// `nil` on a read-only file system, if nobody can race.
    private let descriptor: FileDescriptor?

    /// Opens the lock file, creating it if need be.
    init(directory: String, isReadOnly: Bool) throws(LMDBError) {
        do throws(LMDBError) {
            descriptor = try FileDescriptor(
                path: directory + "/open.lock", flags: O_RDWR | O_CREAT, operation: "open the lock file")
        } catch  where isReadOnly && error.code == .readOnlyFileSystem {
            descriptor = nil
        }
    }

    /// Runs `body` while no other environment on this directory, in this process or another, is opened or closed.
    func withLock<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        guard let descriptor else { return try body() }
        // Fails for no reason but a signal, or a file system without locks, which is refused elsewhere.
        while flock(descriptor.number, LOCK_EX) != 0 && errno == EINTR {}
        defer { flock(descriptor.number, LOCK_UN) }
        return try body()
    }
}

internal import TidelogPlatform

extension FileSystem {
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

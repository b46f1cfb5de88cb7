internal import CLMDB
internal import TidelogPlatform

/// The file of LMDB's reader table. LMDB creates it without blocks and maps it. If the disk is full, the first reader that
/// needs a new block would end the process with SIGBUS. Therefore the blocks are allocated in advance.
enum LockFile {
    private static let readerByteCount = 64
    private static let headerByteCount = 128

    /// Allocates the blocks of the file. Call this before LMDB opens the file, and never while the file is open in this
    /// process, because closing a descriptor would release LMDB's locks.
    static func allocate(directory: String, options: Environment.Options) throws(LMDBError) {
        #if os(Linux)
            let operation: StaticString = "allocate the lock file"
            let file = try FileDescriptor(
                path: directory + "/lock.mdb", flags: O_RDWR | O_CREAT, operation: operation)
            // The size of an existing table is not changed, because other processes may have mapped it.
            let present = try file.byteCount(operation)
            let wanted = Int64(options.maximumReaders * readerByteCount + headerByteCount)
            let byteCount = present > 0 ? present : wanted
            while tidelog_allocate(file.number, byteCount) != 0 {
                // Some file systems cannot allocate blocks in advance. There, blocks are allocated when they are needed.
                if errno == EOPNOTSUPP || errno == ENOSYS { return }
                guard errno == EINTR else { throw LMDBError(errno, operation) }
            }
        #endif
    }
}

internal import CLMDB

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The file of LMDB's reader table. LMDB makes it without blocks and maps it: if the disk is full, the first reader that
/// needs a new block would end the process with SIGBUS. So the blocks are taken before.
enum LockFile {
    private static let readerByteCount = 64
    private static let headerByteCount = 128

    /// Gives the file its blocks. Called before LMDB opens it and never while it is open in this process: closing a
    /// descriptor would drop LMDB's locks.
    static func allocate(directory: String, options: Environment.Options) throws(LMDBError) {
        #if os(Linux)
            let operation: StaticString = "allocate the lock file"
            let file: FileDescriptor
            do throws(LMDBError) {
                file = try FileDescriptor(path: directory + "/lock.mdb", flags: O_RDWR | O_CREAT, operation: operation)
            } catch  where options.isReadOnly {
                return
            }
            // A table that others may have mapped keeps its size.
            let present = try file.byteCount(operation)
            let wanted = Int64(options.maximumReaders * readerByteCount + headerByteCount)
            let byteCount = present > 0 ? present : wanted
            while tidelog_allocate(file.number, byteCount) != 0 {
                // Not every file system can; there the blocks come as they are needed.
                if errno == EOPNOTSUPP || errno == ENOSYS { return }
                guard errno == EINTR else { throw LMDBError(errno, operation) }
            }
        #endif
    }
}

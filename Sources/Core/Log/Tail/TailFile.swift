#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// One of the two files of a log's tail. It has room for the longest round so far and some zeros after that: a sync then
/// writes contents, and does not change the file's length.
///
/// Used by one thread at a time.
final class TailFile {
    private let descriptor: Int32
    private let path: String
    /// Whether each write reaches the device before it returns.
    private let isSynced: Bool
    /// How long the file may become.
    private let maximumByteCount: Int
    /// How long the file is.
    private var byteCount: Int

    /// Opens the file at `path` for writing. A file with another header, or with a damaged one, is replaced: the log's
    /// environment has every group in it.
    init(_ path: String, header: TailHeader, maximumByteCount: Int, isSynced: Bool) throws {
        self.path = path
        self.maximumByteCount = maximumByteCount
        self.isSynced = isSynced
        var flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC
        #if !canImport(Darwin)
            if isSynced { flags |= O_DSYNC }
        #endif
        let isKept = try TailHeader.found(in: path) == .header(header)
        if !isKept { try FileSystem.removeTree(path) }
        descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else { throw FileSystem.failure("open", path) }
        byteCount = 0
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileSystem.failure("look at", path) }
        byteCount = Int(status.st_size)
        if !isKept { try writeHeader(header) }
        // Power loss takes a file whose name is not durable, with every acknowledged group in it. The name of an older file
        // may not be durable either: a process that writes without syncs may have made it.
        if isSynced { try FileSystem.syncDirectory(FileSystem.parent(of: path)) }
    }

    deinit { close(descriptor) }

    private func writeHeader(_ header: TailHeader) throws {
        try lengthen(to: TailFormat.fileHeaderByteCount)
        try header.bytes.withUnsafeBytes { try write($0, at: 0) }
    }

    /// Makes sure that the file has `end` bytes.
    ///
    /// - Throws: ``DataStoreError``: `storageFull`, `inputOutput`; nothing that was written changes.
    func lengthen(to end: Int) throws {
        precondition(end <= maximumByteCount, "a round ends inside its file")
        guard end > byteCount else { return }
        let step = TailFormat.growthByteCount
        let length = min((end + step - 1) / step * step, maximumByteCount)
        let zeros = [UInt8](repeating: 0, count: step)
        while byteCount < length {
            let count = min(step, length - byteCount)
            try zeros.withUnsafeBytes { try write(UnsafeRawBufferPointer(rebasing: $0[..<count]), at: byteCount) }
            byteCount += count
        }
    }

    /// Writes `bytes` at `offset`; durable when this returns, if the file is synced.
    ///
    /// - Throws: ``DataStoreError``: `storageFull`, `inputOutput`; some of the bytes may have been written.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
        var done = 0
        while done < bytes.count {
            let count = pwrite(
                descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset + done))
            if count >= 0 {
                done += count
            } else if errno != EINTR {
                throw FileSystem.failure("write", path)
            }
        }
        #if canImport(Darwin)
            guard !isSynced || fcntl(descriptor, F_FULLFSYNC) == 0 else { throw FileSystem.failure("sync", path) }
        #endif
    }

    /// Gives space back that many groups took; the file is empty.
    func shrink() {
        guard byteCount > TailFormat.growthByteCount, ftruncate(descriptor, off_t(TailFormat.growthByteCount)) == 0
        else { return }
        byteCount = TailFormat.growthByteCount
    }

    /// Overwrites `count` bytes at `offset` with zeros: a frame that may be written in part, so that it never counts, or the
    /// first frame's header, so that the file is empty.
    func erase(at offset: Int, count: Int = TailFormat.frameHeaderByteCount) throws {
        let zeros = [UInt8](repeating: 0, count: count)
        try zeros.withUnsafeBytes { try write($0, at: offset) }
    }
}

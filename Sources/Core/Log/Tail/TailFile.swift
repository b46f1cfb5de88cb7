internal import CChecksum

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// One of the two files of a log's tail. It is as long as what was written to it in any round, and a bit longer, in zeros:
/// a sync then writes contents and nothing about the file.
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

    /// Opens the file at `path` for writing, and begins it if it is not there.
    init(_ path: String, store: StoreID, maximumByteCount: Int, isSynced: Bool) throws {
        self.path = path
        self.maximumByteCount = maximumByteCount
        self.isSynced = isSynced
        var flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC
        #if !canImport(Darwin)
            if isSynced { flags |= O_DSYNC }
        #endif
        let isNew = !FileSystem.exists(path)
        descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else { throw FileSystem.failure("open", path) }
        byteCount = 0
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileSystem.failure("look at", path) }
        byteCount = Int(status.st_size)
        if try byteCount == 0 || !TailHeader.isThere(in: path, of: store) { try writeHeader(store) }
        // A name that is not durable takes acknowledged groups with it.
        if isNew, isSynced { try FileSystem.syncDirectory(FileSystem.parent(of: path)) }
    }

    deinit { close(descriptor) }

    private func writeHeader(_ store: StoreID) throws {
        try lengthen(to: TailFormat.fileHeaderByteCount)
        try withUnsafeTemporaryAllocation(byteCount: TailFormat.fileHeaderByteCount, alignment: 8) { bytes in
            TailHeader.write(store, to: bytes)
            try write(UnsafeRawBufferPointer(bytes), at: 0)
        }
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

    /// Overwrites `count` bytes at `offset` with zeros: of a frame of which nobody knows how much was written, so that it
    /// never counts, or of the first one, so that the file is empty.
    func erase(at offset: Int, count: Int = TailFormat.frameHeaderByteCount) throws {
        let zeros = [UInt8](repeating: 0, count: count)
        try zeros.withUnsafeBytes { try write($0, at: offset) }
    }
}

/// The first bytes of a tail's file: whose it is.
enum TailHeader {
    static func write(_ store: StoreID, to bytes: UnsafeMutableRawBufferPointer) {
        guard bytes.count == TailFormat.fileHeaderByteCount, let base = bytes.baseAddress else {
            preconditionFailure("a header has its length")
        }
        base.store(TailFormat.magic, at: TailFormat.FileOffset.magic)
        base.store(TailFormat.version, at: TailFormat.FileOffset.version)
        base.store(store.high, at: TailFormat.FileOffset.store)
        base.store(store.low, at: TailFormat.FileOffset.store + 8)
        base.store(checksum(UnsafeRawBufferPointer(bytes)), at: TailFormat.FileOffset.checksum)
    }

    private static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        guard let base = bytes.baseAddress else { preconditionFailure("a header has its length") }
        let first = tidelog_crc32c(0, base, TailFormat.FileOffset.checksum)
        return tidelog_crc32c(first, base + TailFormat.FileOffset.store, 16)
    }

    /// Whether the file at `path` has a header, which is that of the log of `store`.
    static func isThere(in path: String, of store: StoreID) throws -> Bool {
        try TailFileReader(path)?.bytes(at: 0, count: TailFormat.fileHeaderByteCount).withUnsafeBytes {
            try check($0, store)
        } ?? false
    }

    /// Checks the header of a file of the log of `store`; returns whether there is one, which is not so if the file was
    /// never begun.
    ///
    /// - Throws: ``DataStoreError``: `logDamaged`, also if the file is another store's; `newerFormat`.
    static func check(_ bytes: UnsafeRawBufferPointer, _ store: StoreID) throws -> Bool {
        let header = UnsafeRawBufferPointer(rebasing: bytes.prefix(TailFormat.fileHeaderByteCount))
        guard header.contains(where: { $0 != 0 }) else { return false }
        guard header.count == TailFormat.fileHeaderByteCount, let base = header.baseAddress.map(UnsafeRawPointer.init),
            base.load(TailFormat.FileOffset.magic, as: UInt64.self) == TailFormat.magic,
            base.load(TailFormat.FileOffset.checksum, as: UInt32.self) == checksum(header)
        else { throw DataStoreError.damagedLog("has a tail whose first bytes are damaged") }
        let version = base.load(TailFormat.FileOffset.version, as: UInt32.self)
        guard version == TailFormat.version else { throw DataStoreError.newerLog(version) }
        let owner = StoreID(
            high: base.load(TailFormat.FileOffset.store, as: UInt64.self),
            low: base.load(TailFormat.FileOffset.store + 8, as: UInt64.self))
        guard owner == store else { throw DataStoreError.damagedLog("has a tail that is another store's") }
        return true
    }
}

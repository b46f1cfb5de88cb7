internal import TidelogPlatform

/// One of the two files of a log's tail, open for writing. The file has room for its longest round so far, and some
/// zeros after that. A sync therefore only writes contents, and does not change the length of the file.
///
/// One thread at a time may use it.
final class TailFile {
    private let descriptor: Int32
    private let path: String
    /// Whether each write is on the device before the method returns.
    private let isSynced: Bool
    /// The largest length of the file.
    private let maximumByteCount: Int
    /// The present length of the file.
    private var byteCount: Int
    /// Whether writes go from the caller's memory to the device, without a copy in the system's memory. A write must then have
    /// whole blocks, in memory and in the file.
    private(set) var isDirect = false

    /// Opens the file at `path` for writing. If the file has another header or a damaged header, a new file replaces
    /// it. The environment has absorbed every group of such a file.
    init(_ path: String, header: TailHeader, maximumByteCount: Int, isSynced: Bool) throws {
        self.path = path
        self.maximumByteCount = maximumByteCount
        self.isSynced = isSynced
        var flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC
        if isSynced { flags |= Platform.durableWriteFlag }
        let isKept = try TailHeader.found(in: path) == .header(header)
        if !isKept { try FileSystem.removeTree(path) }
        descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else { throw FileSystem.failure("open", path) }
        byteCount = 0
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileSystem.failure("look at", path) }
        byteCount = Int(status.st_size)
        if !isKept { try writeHeader(header) }
        // A power loss can remove a file whose directory entry is not durable, together with every acknowledged group
        // in it. The directory entry of an older file may not be durable either, because a process that writes without
        // syncs may have created it.
        if isSynced { try FileSystem.syncDirectory(FileSystem.parent(of: path)) }
        guard isSynced, maximumByteCount.isMultiple(of: TailFormat.blockByteCount) else { return }
        isDirect = Platform.setDirect(descriptor, true)
    }

    deinit { close(descriptor) }

    private func writeHeader(_ header: TailHeader) throws {
        try lengthen(to: TailFormat.fileHeaderByteCount)
        try writeParts(header.bytes[...], at: 0)
    }

    /// Makes sure that the file has at least `end` bytes.
    ///
    /// - Throws: ``DataStoreError`` with code `storageFull` or `inputOutput`. Groups that were written before do not
    ///   change.
    func lengthen(to end: Int) throws {
        precondition(end <= maximumByteCount, "a round ends inside its file")
        guard end > byteCount else { return }
        let step = TailFormat.growthByteCount
        let length = min((end + step - 1) / step * step, maximumByteCount)
        let zeros = [UInt8](repeating: 0, count: step)
        while byteCount < length {
            let count = min(step, length - byteCount)
            try writeParts(zeros[..<count], at: byteCount)
            byteCount += count
        }
    }

    /// Writes bytes that are not whole blocks.
    private func writeParts(_ bytes: ArraySlice<UInt8>, at offset: Int) throws {
        if isDirect { _ = Platform.setDirect(descriptor, false) }
        defer { if isDirect { isDirect = Platform.setDirect(descriptor, true) } }
        try bytes.withUnsafeBytes { try write($0, at: offset) }
    }

    /// Writes `bytes` at `offset`: whole blocks if the file is direct. If the file is synced, the bytes are durable when this
    /// method returns.
    ///
    /// - Throws: ``DataStoreError`` with code `storageFull` or `inputOutput`. Some of the bytes may have been written.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
        var done = 0
        while done < bytes.count {
            let count = pwrite(
                descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset + done))
            if count >= 0 {
                done += count
            } else if errno == EINVAL, isDirect {
                // The device has larger blocks.
                isDirect = false
                guard Platform.setDirect(descriptor, false) else { throw FileSystem.failure("write", path) }
            } else if errno != EINTR {
                throw FileSystem.failure("write", path)
            }
        }
        guard !isSynced || Platform.synchronizeWrites(descriptor) == 0 else { throw FileSystem.failure("sync", path) }
    }

    /// Frees the space that many groups took. The file must be empty.
    func shrink() {
        guard byteCount > TailFormat.growthByteCount, ftruncate(descriptor, off_t(TailFormat.growthByteCount)) == 0
        else { return }
        byteCount = TailFormat.growthByteCount
    }

    /// Overwrites `count` bytes at `offset` with zeros. This removes a frame that may be written only in part. If it
    /// removes the header of the first frame, the file is empty.
    func erase(at offset: Int, count: Int = TailFormat.frameHeaderByteCount) throws {
        try writeParts(ArraySlice(repeating: 0, count: count), at: offset)
    }
}

internal import TidelogPlatform

/// One of the two files of a log's tail, open for reading. Another process may be writing it.
final class TailFileReader: Sendable {
    private let descriptor: Int32
    private let path: String

    /// Opens the file at `path`; `nil` if there is none.
    init?(_ path: String) throws {
        self.path = path
        descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor < 0 else { return }
        if errno == ENOENT { return nil }
        throw FileSystem.failure("open", path)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Whether the file was removed from its directory.
    var isRemoved: Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_nlink == 0
    }

    /// Up to `count` bytes at `offset`. At the end of the file, there are fewer.
    func bytes(at offset: Int, count: Int) throws -> [UInt8] {
        var isFailed = false
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let result = pread(
                    descriptor, buffer.baseAddress.map { $0 + filled }, count - filled, off_t(offset + filled))
                if result > 0 {
                    filled += result
                } else if result == 0 {
                    return
                } else if errno != EINTR {
                    isFailed = true
                    return
                }
            }
        }
        if isFailed { throw FileSystem.failure("read", path) }
        return bytes
    }

    /// The whole contents of the file.
    func contents() throws -> [UInt8] { try bytes(at: 0, count: TailFormat.maximumFileByteCount) }
}

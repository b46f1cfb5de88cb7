internal import TidelogPlatform

/// An input that is read in chunks: a file, or standard input for `-`.
final class InputSource {
    /// The name of the input in messages.
    let name: String
    /// The size in bytes, `nil` if it is not known.
    let byteCount: Int?
    /// How many bytes were read.
    private(set) var readCount = 0
    private let descriptor: Int32

    /// The name of standard input in messages.
    static let standardInput = "standard input"
    private let isStandardInput: Bool

    init(_ path: String) throws {
        isStandardInput = path == "-"
        name = isStandardInput ? Self.standardInput : path
        descriptor = isStandardInput ? 0 : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw CommandFailure.file("open", path, errno) }
        var status = stat()
        byteCount = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
    }

    deinit { if !isStandardInput { close(descriptor) } }

    /// The fraction that was read; `nil` if the size is not known.
    var fraction: Double? { byteCount.map { $0 == 0 ? 1 : Double(readCount) / Double($0) } }

    /// Reads up to `limit` bytes. The result is empty at the end of the input.
    ///
    /// - Throws: ``CommandFailure``, for example if the tool is interrupted while it waits for input.
    func read(_ limit: Int) throws -> [UInt8] {
        if byteCount == nil { try waitForInput() }
        var failure: Int32 = 0
        let chunk = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            repeat {
                let result = systemRead(descriptor, buffer.baseAddress, limit)
                count = max(0, result)
                failure = result < 0 ? errno : 0
            } while failure == EINTR
        }
        guard failure == 0 else { throw CommandFailure.file("read", name, failure) }
        readCount += chunk.count
        return chunk
    }

    /// The first line of a file, at most `limit` bytes of it. The position of reading stays the same. `nil` for standard input.
    func firstLine(limit: Int = 4_096) -> [UInt8]? {
        guard byteCount != nil else { return nil }
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = pread(descriptor, &bytes, limit, 0)
        return Array(bytes.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") })
    }

    /// Reads all remaining bytes.
    func readAll(limit: Int = 64 << 20) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let chunk = try read(1 << 16)
            if chunk.isEmpty { return bytes }
            bytes += chunk
            guard bytes.count <= limit else {
                throw CommandFailure(
                    .failed, "tooLarge", "\(name) is larger than \(limit.bytes).", recovery: "Check the file.")
            }
        }
    }

    private func waitForInput() throws {
        var waiting = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: Interruption.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&waiting, 2, -1) < 0, errno == EINTR {}
        try Interruption.check()
    }
}

/// The system's `read`. Inside the type, its method hides it.
private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}

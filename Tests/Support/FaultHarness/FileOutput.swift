import Foundation
import TidelogPlatform

/// Writes a file of an image.
struct FileOutput {
    private let descriptor: Int32
    private let path: String

    init(_ file: URL) throws {
        path = file.path
        descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor < 0 { throw TraceError.system("open \(path)", errno: errno) }
    }

    /// Writes bytes, or zeros, at an offset.
    func write(_ bytes: UnsafeRawBufferPointer?, _ range: Range<Int>) throws {
        guard let bytes, let address = bytes.baseAddress else {
            let zeros = [UInt8](repeating: 0, count: range.count)
            return try zeros.withUnsafeBytes { try write($0, range) }
        }
        guard pwrite(descriptor, address, range.count, off_t(range.lowerBound)) == range.count else {
            throw TraceError.system("write \(path)", errno: errno)
        }
    }

    func truncate(to size: Int) throws {
        if ftruncate(descriptor, off_t(size)) != 0 { throw TraceError.system("truncate \(path)", errno: errno) }
    }

    /// Extends the file to `size`, if it is shorter.
    func extend(to size: Int) throws {
        if lseek(descriptor, 0, SEEK_END) < off_t(size) { try truncate(to: size) }
    }

    func close() {
        #if canImport(Glibc)
            _ = Glibc.close(descriptor)
        #elseif canImport(Darwin)
            _ = Darwin.close(descriptor)
        #endif
    }
}

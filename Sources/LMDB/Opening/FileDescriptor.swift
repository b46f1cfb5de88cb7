internal import TidelogPlatform

/// An open file. It is closed when it is released. Programs that this process starts do not inherit it, and it is never opened
/// through a symbolic link.
final class FileDescriptor: Sendable {
    let number: Int32

    init(path: String, flags: Int32, operation: StaticString) throws(LMDBError) {
        repeat {
            let opened = open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0o600)
            if opened >= 0 {
                number = opened
                return
            }
        } while errno == EINTR
        if errno == ELOOP { throw LMDBError(.unsafePath, operation, "a symbolic link") }
        throw LMDBError(errno, operation)
    }

    deinit { close(number) }

    func status(_ operation: StaticString) throws(LMDBError) -> stat {
        var status = stat()
        guard fstat(number, &status) == 0 else { throw LMDBError(errno, operation) }
        return status
    }

    func byteCount(_ operation: StaticString) throws(LMDBError) -> Int64 {
        Int64(try status(operation).st_size)
    }

    /// Writes all data to the device. On Apple's systems, this includes the device's cache.
    func synchronize(_ operation: StaticString) throws(LMDBError) {
        guard Platform.synchronize(number) == 0 else { throw LMDBError(errno, operation) }
    }

    /// Reads up to `count` bytes at `offset`. Fewer bytes are returned at the end of the file.
    func read(_ count: Int, at offset: Int64, _ operation: StaticString) throws(LMDBError) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let result = pread(
                    number, buffer.baseAddress.map { $0 + filled }, count - filled, off_t(offset) + off_t(filled))
                if result > 0 {
                    filled += result
                } else if result == 0 {
                    return
                } else if errno != EINTR {
                    failure = errno
                    return
                }
            }
        }
        guard failure == 0 else { throw LMDBError(failure, operation) }
        return bytes
    }
}

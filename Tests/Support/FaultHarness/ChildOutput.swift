#if os(Linux)
    import Glibc

    /// The reading end of a pipe from a child, and the bytes that were read from it.
    struct ChildOutput {
        private(set) var bytes: [UInt8] = []
        private(set) var writeEnd: Int32
        private var readEnd: Int32
        private var consumed = 0

        // Both ends are closed in other children, because these would otherwise keep the pipe open. No child may be started
        // between the calls of `pipe` and `fcntl`, so `ChildProcess` holds its lock.
        init() throws {
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { throw ChildProcess.Failure.notStarted("pipe", errno: errno) }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            readEnd = ends[0]
            writeEnd = ends[1]
        }

        var isOpen: Bool { readEnd >= 0 }

        /// The descriptor for `poll`, which ignores a descriptor below zero.
        var polled: pollfd { pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0) }

        mutating func closeWriteEnd() {
            close(writeEnd)
            writeEnd = -1
        }

        mutating func closeReadEnd() {
            if readEnd >= 0 { close(readEnd) }
            readEnd = -1
        }

        mutating func read() {
            var buffer = [UInt8](repeating: 0, count: 65536)
            let count = Glibc.read(readEnd, &buffer, buffer.count)
            if count > 0 {
                bytes += buffer[..<count]
            } else if count == 0 || errno != EINTR {
                closeReadEnd()
            }
        }

        /// Reads from the pipe, and returns the lines that are now complete.
        mutating func readLines() -> [String] {
            read()
            var lines: [String] = []
            while let end = bytes[consumed...].firstIndex(of: 0x0A) {
                lines.append(String(decoding: bytes[consumed..<end], as: UTF8.self))
                consumed = end + 1
            }
            return lines
        }
    }

    /// A null-terminated array of C strings in the form that `posix_spawn` takes.
    final class CStrings {
        let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
        private let count: Int

        init(_ strings: [String]) {
            count = strings.count
            pointers = .allocate(capacity: count + 1)
            for (index, string) in strings.enumerated() {
                (pointers + index).initialize(to: strdup(string))
            }
            (pointers + count).initialize(to: nil)
        }

        deinit {
            for index in 0..<count { free(pointers[index]) }
            pointers.deinitialize(count: count + 1)
            pointers.deallocate()
        }
    }
#endif

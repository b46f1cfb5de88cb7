internal import TidelogPlatform

/// The calls of the operating system that the tool makes directly.
enum System {
    /// The operating system's message for an error.
    static func message(_ error: Int32) -> String { String(cString: strerror(error)) }

    static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// The number of this process.
    static var processID: Int32 { getpid() }

    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// The width of the terminal, `nil` if there is none.
    static func columns(_ descriptor: Int32) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Writes all of `bytes`. Returns the error, or 0 if there was none.
    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
        var rest = bytes[...]
        while let base = UnsafeRawBufferPointer(rebasing: rest).baseAddress, !rest.isEmpty {
            let count = systemWrite(descriptor, base, rest.count)
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&waiting, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }

    /// The path of the running program.
    static var executable: String {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = buffer.withUnsafeMutableBytes { bytes in
            bytes.withMemoryRebound(to: CChar.self) { text in
                text.baseAddress.map { readlink("/proc/self/exe", $0, text.count) } ?? 0
            }
        }
        guard count > 0 else { return CommandLine.arguments.first ?? "tidelog" }
        return String(decoding: buffer[..<count], as: UTF8.self)
    }

    /// The program's path in the form that one would type in the working directory.
    static var invocation: String {
        guard let buffer = getcwd(nil, 0) else { return executable }
        defer { free(buffer) }
        let here = String(cString: buffer) + "/"
        return executable.hasPrefix(here) ? String(executable.dropFirst(here.count)) : executable
    }

    /// The directory that contains the program.
    static var executableDirectory: String { parent(of: executable) }

    static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    static func isFile(_ path: String) -> Bool { access(path, R_OK) == 0 }

    /// The error of a write to a pipe that has no reader any more.
    static var brokenPipe: Int32 { EPIPE }

    static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Runs another program in place of this one; returns only if that fails, with the error.
    static func replaceProcess(_ path: String, _ arguments: [String]) -> Int32 {
        var pointers = ([path] + arguments).map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        execv(path, &pointers)
        return errno
    }
}

/// The system's `write`. Inside the type, its method hides it.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

#if !canImport(Darwin)
    /// A random text in a file that exists only in memory. It stands for the present start of the system where the system gives
    /// no identifier of it: the file is lost with the memory, and no later file has the same text.
    package enum MemoryMark {
        private static let digitCount = 32

        /// The mark of this user in `directory`, which is made if there is none. The result is `nil` if the volume of
        /// `directory` is not in memory, or if the file with the mark belongs to another user or may be written by one.
        package static func text(in directory: String) -> String? {
            guard Platform.isInMemory(directory) else { return nil }
            let path = "\(directory)/tidelog-\(geteuid())"
            return read(path) ?? make(path)
        }

        /// Makes a file with a new mark. If another process makes one at the same time, both get the mark of one of them.
        private static func make(_ path: String) -> String? {
            var digits = ""
            while digits.utf8.count < digitCount {
                let number = String(UInt64.random(in: .min ... .max), radix: 16)
                digits += String(repeating: "0", count: 16 - number.utf8.count) + number
            }
            // The file gets its name once it is complete. `link` replaces no file.
            let unfinished = "\(path).\(digits)"
            let file = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard file >= 0 else { return nil }
            let count = Array(digits.utf8).withUnsafeBytes { Platform.write($0, to: file) }
            close(file)
            if count == digitCount { _ = link(unfinished, path) }
            unlink(unfinished)
            return read(path)
        }

        private static func read(_ path: String) -> String? {
            let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
            guard file >= 0 else { return nil }
            defer { close(file) }
            var status = stat()
            guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
                status.st_mode & 0o077 == 0
            else { return nil }
            var bytes = [UInt8](repeating: 0, count: digitCount + 1)
            guard Platform.read(file, into: &bytes) == digitCount else { return nil }
            return "memory:" + String(decoding: bytes.prefix(digitCount), as: UTF8.self)
        }
    }
#endif

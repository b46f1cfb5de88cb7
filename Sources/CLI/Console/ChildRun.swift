internal import TidelogPlatform

/// A child process that runs this tool. Its output goes where the output of this process goes, or into a pipe.
final class ChildRun {
    /// How the child process ended.
    enum End: Equatable {
        case exited(ExitStatus)
        case killed(signal: Int32)
    }

    private var identifier: pid_t = 0
    private var end: End?
    private var reading: Int32 = -1
    private var pending: [UInt8] = []

    /// The descriptor for the messages of a child that may crash. Messages of the crash itself go to standard error and are
    /// discarded.
    static let messages: Int32 = 3

    /// Starts the child process.
    ///
    /// - Parameters:
    ///   - readsOutput: Whether this process reads the child's standard output line by line.
    ///   - mayCrash: Whether the child writes its messages to ``messages`` and its standard error is discarded.
    ///   - isSilent: Whether the messages are discarded too.
    init(
        _ executable: String, _ arguments: [String], readsOutput: Bool = false, mayCrash: Bool = false,
        isSilent: Bool = false
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var ends: [Int32] = [-1, -1]
        if readsOutput {
            guard pipe(&ends) == 0 else { throw CommandFailure.file("make", "a pipe", errno) }
            _ = fcntl(ends[0], F_SETFD, FD_CLOEXEC)
            posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
            posix_spawn_file_actions_addclose(&actions, ends[1])
            reading = ends[0]
        }
        if mayCrash {
            posix_spawn_file_actions_adddup2(&actions, 2, Self.messages)
            posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
            if isSilent { posix_spawn_file_actions_adddup2(&actions, 2, Self.messages) }
        }
        var pointers = ([executable] + arguments).map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        let error = posix_spawn(&identifier, executable, &actions, nil, &pointers, environ)
        if readsOutput { close(ends[1]) }
        guard error == 0 else { throw CommandFailure.file("run", executable, error) }
    }

    deinit {
        if end == nil {
            kill()
            _ = try? reap(options: 0)
        }
        if reading >= 0 { close(reading) }
    }

    /// Kills the child process at once.
    func kill() {
        if end == nil { _ = systemKill(identifier, SIGKILL) }
    }

    /// The next line of the child's output; `nil` at the end. An incomplete last line is ignored.
    func readLine() -> String? {
        while true {
            if let feed = pending.firstIndex(of: UInt8(ascii: "\n")) {
                defer { pending.removeFirst(feed + 1) }
                return String(decoding: pending[..<feed], as: UTF8.self)
            }
            var chunk = [UInt8](repeating: 0, count: 4_096)
            let count = read(reading, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            pending += chunk[..<count]
        }
    }

    /// Waits until the child ends. If this tool is interrupted, the child is killed.
    ///
    /// - Throws: ``CommandFailure`` if this tool is interrupted.
    func wait() async throws -> End {
        while true {
            if let end = try reap(options: WNOHANG) {
                try Interruption.check()
                return end
            }
            if Interruption.isRequested { kill() }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    private func reap(options: Int32) throws -> End? {
        if let end { return end }
        var status: Int32 = 0
        let result = waitpid(identifier, &status, options)
        guard result == identifier else {
            if result < 0, errno != EINTR { throw CommandFailure.file("wait for", "a child process", errno) }
            return nil
        }
        let signal = status & 0x7F
        end = signal == 0 ? .exited(ExitStatus(rawValue: status >> 8 & 0xFF) ?? .failed) : .killed(signal: signal)
        return end
    }
}

/// The system's `kill`. Inside the type, its method hides it.
private func systemKill(_ process: pid_t, _ signal: Int32) -> Int32 { kill(process, signal) }

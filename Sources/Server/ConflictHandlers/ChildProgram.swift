internal import CProcess
internal import TidelogPlatform

/// A running child process, in its own process group. Only one thread uses it, and that thread does nothing else.
struct ChildProgram {
    /// The limit of the output in bytes. Longer output is refused.
    private static let outputLimit = 1 << 20
    /// The environment variables that the child gets. Programs need them to run, and none holds a secret.
    private static let variables = ["PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR"]

    private let identifier: pid_t
    /// The descriptor for the child's standard input; -1 after it was closed.
    private var input: Int32
    /// The descriptor for the child's standard output; -1 after it was closed.
    private var output: Int32

    /// Starts the program at `path` without arguments.
    init(_ path: String) throws(ConflictCase.Failure) {
        let input = try Pipe()
        let output: Pipe
        do { output = try Pipe() } catch {
            input.close()
            throw error
        }
        var identifier: pid_t = 0
        let error = Self.start(path, input: input.readEnd, output: output.writeEnd, identifier: &identifier)
        close(input.readEnd)
        close(output.writeEnd)
        guard error == 0 else {
            close(input.writeEnd)
            close(output.readEnd)
            throw ConflictCase.Failure("the program cannot be started (error \(error))")
        }
        self.identifier = identifier
        self.input = input.writeEnd
        self.output = output.readEnd
        for descriptor in [self.input, self.output] {
            _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        }
        // A child that does not read its input must not end this process with SIGPIPE. The thread with this signal mask ends
        // after the child.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    private static func start(
        _ path: String, input: Int32, output: Int32, identifier: inout pid_t
    ) -> Int32 {
        var actions = Platform.emptySpawnActions
        var attributes = Platform.emptySpawnAttributes
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        let status = tidelog_inherit_standard_files(&actions, &attributes, Int16(truncatingIfNeeded: flags))
        guard status == 0 else { return status }
        posix_spawnattr_setpgroup(&attributes, 0)
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGPIPE, SIGHUP, SIGINT, SIGTERM] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        let environment = variables.compactMap { name in getenv(name).map { "\(name)=\(String(cString: $0))" } }
        return withStrings([path]) { arguments in
            withStrings(environment) { posix_spawn(&identifier, path, &actions, &attributes, arguments, $0) }
        }
    }

    private static func withStrings<Value>(
        _ texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Value
    ) -> Value {
        let strings: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) } + [nil]
        defer { for string in strings { free(string) } }
        return strings.withUnsafeBufferPointer { buffer in
            guard let address = buffer.baseAddress else { preconditionFailure("a list with its end has an address") }
            return body(address)
        }
    }

    // MARK: Input and output

    /// Sends `bytes` to the child and returns its output, after the child has ended with status 0.
    mutating func answer(to bytes: [UInt8], _ cancellation: BlockingWork.Cancellation) throws -> [UInt8] {
        var rest = bytes[...]
        var answer: [UInt8] = []
        // Processes that the child has started may keep the output open. The loop therefore also ends when the child has ended.
        while true {
            guard !cancellation.isCancelled else { throw CancellationError() }
            let hasEnded = hasEnded
            wait()
            if input >= 0 { write(&rest) }
            if output >= 0 { try read(into: &answer) }
            if hasEnded { break }
        }
        var status: Int32 = 0
        kill(-identifier, SIGKILL)
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        isReaped = true
        guard status & 0x7F == 0 else { throw ConflictCase.Failure("signal \(status & 0x7F) ended the program") }
        guard status >> 8 & 0xFF == 0 else {
            throw ConflictCase.Failure("the program ended with status \(status >> 8 & 0xFF)")
        }
        return answer
    }

    private var isReaped = false

    /// Kills the child's process group and closes the pipes.
    mutating func end() {
        if !isReaped {
            // The system does not reuse the process number before `waitpid`.
            kill(-identifier, SIGKILL)
            while waitpid(identifier, nil, 0) < 0, errno == EINTR {}
            isReaped = true
        }
        closeInput()
        closeOutput()
    }

    /// Whether the child has ended. The check does not release its process number.
    private var hasEnded: Bool {
        var information = siginfo_t()
        guard waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT | WNOHANG) == 0 else { return false }
        return information.si_signo == SIGCHLD
    }

    /// Waits a few milliseconds until a pipe is ready.
    private func wait() {
        var polled: [pollfd] = []
        if input >= 0 { polled.append(pollfd(fd: input, events: Int16(POLLOUT), revents: 0)) }
        if output >= 0 { polled.append(pollfd(fd: output, events: Int16(POLLIN), revents: 0)) }
        _ = poll(&polled, nfds_t(polled.count), output >= 0 ? 10 : 1)
    }

    private mutating func write(_ bytes: inout ArraySlice<UInt8>) {
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Platform.write($0, to: input) }
            if count >= 0 {
                bytes = bytes.dropFirst(count)
            } else if errno == EAGAIN {
                return
            } else if errno != EINTR {
                // The child has closed its input and does not read the rest.
                break
            }
        }
        closeInput()
    }

    private mutating func read(into answer: inout [UInt8]) throws(ConflictCase.Failure) {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Platform.read(output, into: &chunk)
            if count > 0 {
                guard answer.count + count <= Self.outputLimit else {
                    throw ConflictCase.Failure("the answer is longer than \(Self.outputLimit) bytes")
                }
                answer += chunk[..<count]
            } else if count == 0 || errno != EINTR && errno != EAGAIN {
                return closeOutput()
            } else if errno == EAGAIN {
                return
            }
        }
    }

    private mutating func closeInput() {
        if input >= 0 { close(input) }
        input = -1
    }

    private mutating func closeOutput() {
        if output >= 0 { close(output) }
        output = -1
    }
}

/// A pipe whose ends a child process does not inherit automatically.
private struct Pipe {
    let readEnd: Int32
    let writeEnd: Int32

    init() throws(ConflictCase.Failure) {
        var ends: [Int32] = [-1, -1]
        let status = tidelog_pipe(&ends)
        guard status == 0 else { throw ConflictCase.Failure("the system has no pipe to give (error \(errno))") }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    func close() {
        for end in [readEnd, writeEnd] { Platform.close(end) }
    }
}

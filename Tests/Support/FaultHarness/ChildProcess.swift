#if os(Linux)
    public import Foundation
    import Glibc
    import TidelogSynchronization

    /// A child process whose output is read line by line. It can be killed, stopped and continued at any moment.
    ///
    /// Every call that waits has a time limit. A child that still runs when this value is deallocated is killed.
    public final class ChildProcess {
        /// How a child ended.
        public enum Exit: Equatable, Sendable {
            /// The child returned a status.
            case exited(Int32)
            /// A signal ended the child.
            case signalled(Int32)
        }

        /// A failure of the child process itself.
        public enum Failure: Error, Sendable {
            /// The child could not be started.
            case notStarted(String, errno: Int32)
            /// The child took too long and was killed. The values are its output until then.
            case timedOut(output: [String], errors: String)
        }

        /// The process number of the child.
        public let identifier: pid_t
        /// The complete lines of the child's standard output that were read so far.
        public private(set) var lines: [String] = []
        private var nextLine = 0
        private var output: ChildOutput
        private var errors: ChildOutput
        private var exit: Exit?
        private static let starting = Mutex(())

        /// Starts an executable.
        ///
        /// - Parameters:
        ///   - environment: Variables that are added to this process's own.
        public init(_ executable: URL, _ arguments: [String] = [], environment: [String: String] = [:]) throws {
            let child = try Self.starting.withLock { _ in try Self.start(executable, arguments, environment) }
            identifier = child.identifier
            output = child.output
            errors = child.errors
        }

        private static func start(
            _ executable: URL, _ arguments: [String], _ environment: [String: String]
        ) throws -> (identifier: pid_t, output: ChildOutput, errors: ChildOutput) {
            var output = try ChildOutput()
            var errors = try ChildOutput()
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
            posix_spawn_file_actions_adddup2(&actions, output.writeEnd, 1)
            posix_spawn_file_actions_adddup2(&actions, errors.writeEnd, 2)

            let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
            let arguments = CStrings([executable.path] + arguments)
            let assignments = CStrings(variables.map { "\($0)=\($1)" })
            var identifier: pid_t = 0
            let error = posix_spawn(
                &identifier, executable.path, &actions, nil, arguments.pointers, assignments.pointers)
            output.closeWriteEnd()
            errors.closeWriteEnd()
            guard error == 0 else {
                output.closeReadEnd()
                errors.closeReadEnd()
                throw Failure.notStarted(executable.path, errno: error)
            }
            return (identifier, output, errors)
        }

        deinit {
            if exit == nil {
                kill(identifier, SIGKILL)
                var status: Int32 = 0
                while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
            }
            output.closeReadEnd()
            errors.closeReadEnd()
        }

        /// Sends SIGKILL, SIGSTOP, SIGCONT or another signal, unless the child has ended.
        public func signal(_ number: Int32) {
            if exit == nil { kill(identifier, number) }
        }

        /// The next line of standard output; `nil` if no line can follow.
        public func readLine(within limit: Duration = .seconds(30)) throws -> String? {
            let deadline = ContinuousClock.now.advanced(by: limit)
            while nextLine == lines.count, output.isOpen { try pump(until: deadline) }
            guard nextLine < lines.count else { return nil }
            nextLine += 1
            return lines[nextLine - 1]
        }

        /// Waits until the child ends. After that, `lines` contains all its output.
        public func wait(within limit: Duration = .seconds(60)) throws -> Exit {
            let deadline = ContinuousClock.now.advanced(by: limit)
            while output.isOpen || errors.isOpen {
                // A process that the child started may keep the pipes open, so the loop also ends when the child ends.
                if try reap(blocking: false) != nil, try !pumpWhatIsThere() { break }
                try pump(until: deadline)
            }
            while true {
                if let exit = try reap(blocking: false) { return exit }
                if ContinuousClock.now >= deadline { try giveUp() }
                usleep(200)
            }
        }

        /// Waits until the child is stopped, by SIGSTOP or by its fault plan.
        public func waitUntilStopped(within limit: Duration = .seconds(30)) throws {
            let deadline = ContinuousClock.now.advanced(by: limit)
            var status: Int32 = 0
            while exit == nil {
                if waitpid(identifier, &status, WUNTRACED | WNOHANG) == identifier {
                    if status & 0xFF == 0x7F { return }
                    exit = Self.exit(of: status)
                }
                if ContinuousClock.now >= deadline { try giveUp() }
                usleep(200)
            }
            throw Failure.timedOut(output: lines, errors: errorText)
        }

        /// The text of the child's standard error that was read so far.
        public var errorText: String {
            String(decoding: errors.bytes, as: UTF8.self)
        }

        private func reap(blocking: Bool) throws -> Exit? {
            if exit != nil { return exit }
            var status: Int32 = 0
            if waitpid(identifier, &status, blocking ? 0 : WNOHANG) == identifier { exit = Self.exit(of: status) }
            return exit
        }

        private static func exit(of status: Int32) -> Exit {
            let signal = status & 0x7F
            return signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
        }

        private func pump(until deadline: ContinuousClock.Instant) throws {
            if ContinuousClock.now >= deadline { try giveUp() }
            _ = try pump(milliseconds: 20)
        }

        private func pumpWhatIsThere() throws -> Bool {
            try pump(milliseconds: 0)
        }

        // Reads the available output. Returns whether there was any.
        private func pump(milliseconds: Int32) throws -> Bool {
            var polled = [output.polled, errors.polled]
            guard poll(&polled, 2, milliseconds) > 0 else { return false }
            if polled[0].revents != 0 { lines += output.readLines() }
            if polled[1].revents != 0 { errors.read() }
            return true
        }

        private func giveUp() throws -> Never {
            kill(identifier, SIGKILL)
            _ = try reap(blocking: true)
            throw Failure.timedOut(output: lines, errors: errorText)
        }
    }
#endif

internal import Synchronization
internal import TidelogPlatform

/// The tool's behaviour on signals. On SIGINT, a command that reads ends at once, and a command that writes first finishes the
/// current commit. A second SIGINT always ends the tool at once. SIGPIPE does not end the tool: the write fails instead.
enum Interruption {
    private static let requests = Atomic<Int>(0)
    private static let terminations = Atomic<Int>(0)
    private static let deferred = Atomic<Bool>(false)
    private static let readEnd = Atomic<Int32>(-1)
    private static let writeEnd = Atomic<Int32>(-1)

    /// Whether the tool should stop after its current step.
    static var isRequested: Bool { requests.load(ordering: .relaxed) > 0 }

    /// Whether SIGTERM arrived for a command that runs until it is stopped.
    static var isTerminated: Bool { terminations.load(ordering: .relaxed) > 0 }

    /// Whether the command writes and therefore stops after its current commit.
    static var isDeferred: Bool { deferred.load(ordering: .relaxed) }

    /// A descriptor that becomes readable when the tool should stop. Code that waits for input polls it.
    static var descriptor: Int32 { readEnd.load(ordering: .relaxed) }

    /// Changes SIGINT to a request that the command checks itself.
    static func deferToCommits() { deferred.store(true, ordering: .relaxed) }

    /// - Throws: ``CommandFailure`` if the tool should stop.
    static func check() throws {
        if isRequested { throw CommandFailure.interrupted("Interrupted.") }
    }

    static func install() {
        var ends: [Int32] = [-1, -1]
        if pipe(&ends) == 0 {
            readEnd.store(ends[0], ordering: .relaxed)
            writeEnd.store(ends[1], ordering: .relaxed)
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        }
        _ = (isRequested, isDeferred)  // Initialise these before a handler needs them.
        signal(SIGINT, interrupted)
        signal(SIGPIPE, SIG_IGN)
    }

    /// Makes SIGTERM a request to stop that is not a failure. This is for commands that run until they are stopped.
    static func installTermination() {
        _ = terminations.load(ordering: .relaxed)  // Initialise this before the handler needs it.
        signal(SIGTERM, terminated)
    }

    /// Returns when the tool should stop. This call blocks its thread.
    static func waitForRequest() {
        var input = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while !isRequested, terminations.load(ordering: .relaxed) == 0 { poll(&input, 1, -1) }
    }

    fileprivate static func receivedTermination() {
        let before = terminations.wrappingAdd(1, ordering: .relaxed).oldValue
        guard before == 0 else { _exit(ExitStatus.failed.code) }
        wake()
    }

    fileprivate static func received() {
        let before = requests.wrappingAdd(1, ordering: .relaxed).oldValue
        guard isDeferred, before == 0 else { _exit(ExitStatus.interrupted.code) }
        wake()
    }

    private static func wake() {
        var byte: UInt8 = 0
        #if canImport(Glibc)
            _ = Glibc.write(writeEnd.load(ordering: .relaxed), &byte, 1)
        #elseif canImport(Musl)
            _ = Musl.write(writeEnd.load(ordering: .relaxed), &byte, 1)
        #else
            _ = Darwin.write(writeEnd.load(ordering: .relaxed), &byte, 1)
        #endif
    }
}

private func interrupted(_ signal: Int32) { Interruption.received() }

private func terminated(_ signal: Int32) { Interruption.receivedTermination() }

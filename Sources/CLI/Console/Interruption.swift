internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// What SIGINT does: reading commands end at once; writing ones finish the commit under way first. A second one always
/// ends the tool at once. SIGPIPE is an error of the write, not the end.
enum Interruption {
    private static let requests = Atomic<Int>(0)
    private static let terminations = Atomic<Int>(0)
    private static let deferred = Atomic<Bool>(false)
    private static let readEnd = Atomic<Int32>(-1)
    private static let writeEnd = Atomic<Int32>(-1)

    /// Whether the tool is to stop after what it is doing.
    static var isRequested: Bool { requests.load(ordering: .relaxed) > 0 }

    /// Whether SIGTERM asked a command to end that goes on until it is stopped.
    static var isTerminated: Bool { terminations.load(ordering: .relaxed) > 0 }

    /// Whether the command writes and stops by itself.
    static var isDeferred: Bool { deferred.load(ordering: .relaxed) }

    /// Readable once the tool is to stop: for waiting on input.
    static var descriptor: Int32 { readEnd.load(ordering: .relaxed) }

    /// From now on SIGINT only asks to stop.
    static func deferToCommits() { deferred.store(true, ordering: .relaxed) }

    /// - Throws: ``CommandFailure`` if the tool is to stop.
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
        _ = (isRequested, isDeferred)  // Made before a handler could need them.
        signal(SIGINT, interrupted)
        signal(SIGPIPE, SIG_IGN)
    }

    /// From now on SIGTERM asks to stop as well, and is no failure then. For commands that go on until they are stopped.
    static func installTermination() {
        _ = terminations.load(ordering: .relaxed)  // Made before the handler could need it.
        signal(SIGTERM, terminated)
    }

    /// Returns once the tool is to stop. Blocks its thread.
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

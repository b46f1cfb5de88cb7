internal import TidelogCore
internal import TidelogPlatform
internal import TidelogSynchronization

/// The tool's behaviour on signals. On SIGINT, a command that reads ends at once, and a command that writes first finishes the
/// current commit. A second SIGINT always ends the tool at once. SIGPIPE does not end the tool: the write fails instead.
///
/// `timeout` sends its signal to the command and then to its group, so the command gets it twice. A signal that follows another
/// one within 100 ms is therefore the same request.
enum Interruption {
    private static let requests = Atomic<Int>(0)
    private static let terminations = Atomic<Int>(0)
    private static let deferred = Atomic<Bool>(false)
    /// The time of the last signal, in milliseconds of the monotonic clock; 0 if there was none.
    private static let lastSignal = Atomic<Int64>(0)
    /// The longest time between two signals of one request, in milliseconds.
    private static let repetitionTime: Int64 = 100
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
        // Initialise these before a handler needs them.
        _ = (isRequested, isDeferred, lastSignal.load(ordering: .relaxed))
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

    /// The value of `task`, which is cancelled when the tool should stop.
    static func cancelling<Value: Sendable>(_ task: Task<Value, any Error>) async throws -> Value {
        let interruption = Task {
            try await Blocking.run { waitForRequest() }
            task.cancel()
        }
        defer { interruption.cancel() }
        return try await task.value
    }

    /// Whether the signal that arrived now repeats the request of the signal before.
    private static func isRepetition() -> Bool {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        let now = max(Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000, 1)
        let last = lastSignal.exchange(now, ordering: .relaxed)
        return last > 0 && now - last <= repetitionTime
    }

    fileprivate static func receivedTermination() {
        if isRepetition() { return }
        let before = terminations.wrappingAdd(1, ordering: .relaxed).oldValue
        guard before == 0 else { _exit(ExitStatus.failed.code) }
        wake()
    }

    fileprivate static func received() {
        if isRepetition() { return }
        let before = requests.wrappingAdd(1, ordering: .relaxed).oldValue
        guard isDeferred, before == 0 else { _exit(ExitStatus.interrupted.code) }
        wake()
    }

    private static func wake() {
        var byte: UInt8 = 0
        _ = write(writeEnd.load(ordering: .relaxed), &byte, 1)
    }
}

private func interrupted(_ signal: Int32) { Interruption.received() }

private func terminated(_ signal: Int32) { Interruption.receivedTermination() }

internal import TidelogPlatform
internal import TidelogSynchronization

/// Distinguishes a process from its forks without a system call: a counter that every forked child increases when it starts.
enum ProcessStamp {
    private static let forks = Atomic<Int>(0)

    private static let isCounting: Bool = {
        forks.store(0, ordering: .relaxed)
        return pthread_atfork(nil, nil, { ProcessStamp.childStarted() }) == 0
    }()

    private static func childStarted() { forks.wrappingAdd(1, ordering: .relaxed) }

    /// Starts counting. It must be called before the first stamp is taken.
    static func start() { precondition(isCounting, "pthread_atfork refused a handler.") }

    /// A number that stays the same in one process and differs in its children.
    @inline(__always)
    static var current: Int { forks.load(ordering: .relaxed) }
}

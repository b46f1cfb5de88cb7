internal import Dispatch
internal import TidelogPlatform
internal import TidelogSynchronization

/// A thread that runs `work` each time it is woken. A sync in `work` blocks no thread of the cooperative pool.
final class WorkThread: Sendable {
    private let signal = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let work: @Sendable () -> Bool
    /// The number of the thread, 0 until it has begun.
    private let number = Atomic<UInt>(0)

    /// - Parameter work: The thread runs it after each wake. If it returns false, the thread ends.
    init(_ work: @escaping @Sendable () -> Bool) { self.work = work }

    func start() {
        let status = DetachedThread.start(stackByteCount: 8 << 20) { [self] in
            number.store(Platform.currentThread, ordering: .relaxed)
            repeat { signal.wait() } while work()
            ended.signal()
        }
        precondition(status == 0, "the system gives the writer no thread: error \(status)")
    }

    /// Whether this is the calling thread.
    var isCurrent: Bool { number.load(ordering: .relaxed) == Platform.currentThread }

    func wake() { signal.signal() }

    /// Waits until the thread has ended.
    func join() { ended.wait() }
}

internal import Dispatch

/// A thread that runs `work` each time it is woken. A sync then never blocks a thread of the cooperative pool.
final class WriterThread: Sendable {
    private let signal = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let work: @Sendable () -> Bool

    /// - Parameter work: The thread runs it after each wake. If it returns false, the thread ends.
    init(_ work: @escaping @Sendable () -> Bool) { self.work = work }

    func start() {
        let status = DetachedThread.start(stackByteCount: 8 << 20) { [self] in
            repeat { signal.wait() } while work()
            ended.signal()
        }
        precondition(status == 0, "the system gives the writer no thread: error \(status)")
    }

    func wake() { signal.signal() }

    /// Waits until the thread has ended.
    func join() { ended.wait() }
}

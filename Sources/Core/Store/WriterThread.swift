internal import Dispatch

/// A thread that runs `work` each time it is woken, so that a sync never blocks the cooperative pool.
final class WriterThread: Sendable {
    private let signal = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let work: @Sendable () -> Bool

    /// - Parameter work: Runs on the thread after each wake; the thread ends once it returns false.
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

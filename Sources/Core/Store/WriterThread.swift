internal import Dispatch

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A thread that runs `work` each time it is woken, so that a sync never blocks the cooperative pool.
final class WriterThread: Sendable {
    private let signal = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let work: @Sendable () -> Bool

    /// - Parameter work: Runs on the thread after each wake; the thread ends once it returns false.
    init(_ work: @escaping @Sendable () -> Bool) { self.work = work }

    private final class Box {
        let thread: WriterThread
        init(_ thread: WriterThread) { self.thread = thread }
    }

    func start() {
        let box = Unmanaged.passRetained(Box(self))
        let status = withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { buffer in
            guard let attributes = buffer.baseAddress else { preconditionFailure("a buffer of one has an address") }
            pthread_attr_init(attributes)
            defer { pthread_attr_destroy(attributes) }
            pthread_attr_setstacksize(attributes, 8 << 20)
            pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
            #if canImport(Darwin)
                var thread: pthread_t?
            #else
                var thread = pthread_t()
            #endif
            return pthread_create(&thread, attributes, writerThreadMain, box.toOpaque())
        }
        precondition(status == 0, "the system gives the writer no thread: error \(status)")
    }

    fileprivate static func run(_ pointer: UnsafeMutableRawPointer) {
        let box = Unmanaged<Box>.fromOpaque(pointer).takeRetainedValue()
        let thread = box.thread
        repeat { thread.signal.wait() } while thread.work()
        thread.ended.signal()
    }

    func wake() { signal.signal() }

    /// Waits until the thread has ended.
    func join() { ended.wait() }
}

#if canImport(Darwin)
    private func writerThreadMain(_ pointer: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        WriterThread.run(pointer)
        return nil
    }
#else
    private func writerThreadMain(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let pointer else { preconditionFailure("the thread was given its box") }
        WriterThread.run(pointer)
        return nil
    }
#endif

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A thread that runs one piece of work and ends with it.
enum LoopThread {
    private final class Work {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts the thread.
    ///
    /// - Returns: whether the system has one to give.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let work = Unmanaged.passRetained(Work(body))
        let status = withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { buffer in
            guard let attributes = buffer.baseAddress else { preconditionFailure("a buffer of one has an address") }
            pthread_attr_init(attributes)
            defer { pthread_attr_destroy(attributes) }
            pthread_attr_setstacksize(attributes, 1 << 20)
            pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
            #if canImport(Darwin)
                var thread: pthread_t?
            #else
                var thread = pthread_t()
            #endif
            return pthread_create(&thread, attributes, loopThreadMain, work.toOpaque())
        }
        if status != 0 { work.release() }
        return status == 0
    }

    fileprivate static func run(_ pointer: UnsafeMutableRawPointer) {
        Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body()
    }
}

#if canImport(Darwin)
    private func loopThreadMain(_ pointer: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        LoopThread.run(pointer)
        return nil
    }
#else
    private func loopThreadMain(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let pointer else { preconditionFailure("the thread was given its work") }
        LoopThread.run(pointer)
        return nil
    }
#endif

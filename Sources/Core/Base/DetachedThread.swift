internal import TidelogPlatform

/// Starts a separate thread for work that blocks. The thread ends with the work, and is not joined.
package enum DetachedThread {
    private final class Work {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts a thread that runs `body`.
    ///
    /// - Returns: 0, or the error code of the system if it cannot create a thread.
    package static func start(stackByteCount: Int, _ body: @escaping @Sendable () -> Void) -> Int32 {
        let work = Unmanaged.passRetained(Work(body))
        let status = withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { buffer in
            guard let attributes = buffer.baseAddress else { preconditionFailure("a buffer of one has an address") }
            pthread_attr_init(attributes)
            defer { pthread_attr_destroy(attributes) }
            pthread_attr_setstacksize(attributes, stackByteCount)
            pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
            #if canImport(Darwin)
                var thread: pthread_t?
            #else
                var thread = pthread_t()
            #endif
            return pthread_create(&thread, attributes, detachedThreadMain, work.toOpaque())
        }
        if status != 0 { work.release() }
        return status
    }

    fileprivate static func run(_ pointer: UnsafeMutableRawPointer) {
        Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body()
    }
}

#if canImport(Darwin)
    private func detachedThreadMain(_ pointer: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        DetachedThread.run(pointer)
        return nil
    }
#else
    private func detachedThreadMain(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let pointer else { preconditionFailure("the thread was given its work") }
        DetachedThread.run(pointer)
        return nil
    }
#endif

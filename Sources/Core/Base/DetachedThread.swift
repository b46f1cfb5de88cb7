internal import TidelogPlatform

/// Starts a separate thread for work that blocks. The thread ends with the work, and is not joined.
package enum DetachedThread {
    /// Starts a thread that runs `body`.
    ///
    /// - Returns: 0, or the error code of the system if it cannot create a thread.
    package static func start(stackByteCount: Int, _ body: @escaping @Sendable () -> Void) -> Int32 {
        withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { buffer in
            guard let attributes = buffer.baseAddress else { preconditionFailure("a buffer of one has an address") }
            pthread_attr_init(attributes)
            defer { pthread_attr_destroy(attributes) }
            pthread_attr_setstacksize(attributes, stackByteCount)
            pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
            return Platform.startThread(attributes, body)
        }
    }
}

// The module's `Mutex` is `Synchronization.Mutex`. For ThreadSanitizer, which cannot see that type, it is this mutex
// instead. See Package.swift.
#if TIDELOG_THREAD_SANITIZER
    internal import SanitizerSupport

    typealias Mutex = PthreadMutex

    /// Marks the hand-over of a value from a thread to a task. A task may be resumed before it is suspended. Swift's
    /// runtime, which is not sanitized, does not then tell ThreadSanitizer which of the two came first.
    enum HandOver {
        private static let mutex = Mutex(())

        /// Called before the task is resumed, and in the task after it continues.
        static func note() { mutex.withLock { _ in } }
    }
#else
    enum HandOver {
        @inline(__always) static func note() {}
    }
#endif

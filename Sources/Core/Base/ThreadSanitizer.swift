// ThreadSanitizer sees this mutex; without it the module's is `Synchronization.Mutex`. See Package.swift.
#if TIDELOG_THREAD_SANITIZER
    internal import SanitizerSupport

    typealias Mutex = PthreadMutex

    /// What one thread made and a task goes on with. Where a task is resumed before it is suspended, Swift's runtime, which
    /// is not sanitized, does not tell ThreadSanitizer which came first.
    enum HandOver {
        private static let mutex = Mutex(())

        /// Called before the task is resumed, and in the task when it goes on.
        static func note() { mutex.withLock { _ in } }
    }
#else
    enum HandOver {
        @inline(__always) static func note() {}
    }
#endif

/// Marks the hand-over of a value from a thread to a task. A task may be resumed before it is suspended. Swift's runtime, which
/// is not sanitized, does not then tell ThreadSanitizer which of the two came first.
package enum HandOver {
    #if TIDELOG_THREAD_SANITIZER
        private static let mutex = Mutex(())

        /// Called before the task is resumed, and in the task after it continues.
        package static func note() { mutex.withLock { _ in } }
    #else
        /// Called before the task is resumed, and in the task after it continues.
        @inlinable package static func note() {}
    #endif
}

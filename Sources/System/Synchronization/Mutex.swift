// The atomic values and the mutex that all modules use. `scripts/sanitize thread` builds with a mutex that ThreadSanitizer
// sees. It hides the mutex of Synchronization.
@_exported public import Synchronization

#if TIDELOG_THREAD_SANITIZER
    internal import TidelogPlatform

    /// A replacement for `Synchronization.Mutex` that uses a mutex of pthreads. On Linux, `Synchronization.Mutex` is a futex,
    /// which ThreadSanitizer does not see.
    public struct Mutex<Value: ~Copyable>: ~Copyable {
        // Both values are allocated, because a mutex of pthreads must never change its address.
        private let mutex: UnsafeMutablePointer<pthread_mutex_t>
        private let value: UnsafeMutablePointer<Value>

        /// Makes a mutex that guards `initialValue`.
        public init(_ initialValue: consuming sending Value) {
            mutex = .allocate(capacity: 1)
            mutex.initialize(to: pthread_mutex_t())
            let status = pthread_mutex_init(mutex, nil)
            precondition(status == 0, "the system gives no mutex: error \(status)")
            value = .allocate(capacity: 1)
            value.initialize(to: initialValue)
        }

        deinit {
            value.deinitialize(count: 1)
            value.deallocate()
            pthread_mutex_destroy(mutex)
            mutex.deallocate()
        }

        /// Runs `body` with the guarded value. Only one caller runs at a time.
        public borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return try body(&value.pointee)
        }

        /// Runs `body` with the guarded value if no other caller runs. Otherwise returns `nil` at once.
        public borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result? {
            guard pthread_mutex_trylock(mutex) == 0 else { return nil }
            defer { pthread_mutex_unlock(mutex) }
            return try body(&value.pointee)
        }
    }

    // This is sound because the value is only accessed under the lock.
    extension Mutex: @unchecked Sendable where Value: ~Copyable {}
#endif

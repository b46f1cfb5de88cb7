// ThreadSanitizer understands this mutex. Without ThreadSanitizer, the module uses `Synchronization.Mutex`. See Package.swift.
#if TIDELOG_THREAD_SANITIZER
    internal import SanitizerSupport

    typealias Mutex = PthreadMutex
#endif

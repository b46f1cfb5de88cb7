// ThreadSanitizer sees this mutex; without it the module's is `Synchronization.Mutex`. See Package.swift.
#if TIDELOG_THREAD_SANITIZER
    internal import SanitizerSupport

    typealias Mutex = PthreadMutex
#endif

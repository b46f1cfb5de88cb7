// ThreadSanitizer can see this mutex. Without ThreadSanitizer, the module uses `Synchronization.Mutex`. See Package.swift.
#if TIDELOG_THREAD_SANITIZER
    import SanitizerSupport

    typealias Mutex = PthreadMutex
#endif

// ThreadSanitizer can see this mutex. In normal builds the module uses `Synchronization.Mutex`. See Package.swift.
#if TIDELOG_THREAD_SANITIZER
    internal import SanitizerSupport

    typealias Mutex = PthreadMutex
#endif

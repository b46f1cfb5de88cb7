internal import TidelogPlatform

/// Reports damage when reading a damaged file crashes the process. A signal handler then replaces the process by another run of
/// this tool, which finds the damaged file and reports it. The guard costs nothing until that happens.
///
/// Soundness: the unsafe variable is written once, before the handlers that read it are installed, and never changes again.
enum CrashGuard {
    nonisolated(unsafe) fileprivate static var words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?

    /// - Parameter words: The command that replaces the process.
    static func install(_ words: [String]) {
        let pointers = ([System.executable] + words).map { strdup($0) } + [nil]
        let stored = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: pointers.count)
        stored.initialize(from: pointers, count: pointers.count)
        self.words = stored
        for number in [SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGTRAP] { signal(number, crashed) }
    }
}

/// The signal handler. It calls only functions that a signal handler may call.
private func crashed(_ number: Int32) {
    signal(number, SIG_DFL)
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
    if let words = CrashGuard.words, let executable = words[0] { execv(executable, words) }
    _exit(ExitStatus.damaged.rawValue)
}

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// What happens where reading a damaged file ends the process: another run of this tool takes its place, finds out what is
/// damaged and says so. Costs nothing before.
///
/// Sound although unsafe: the words are written once, before the handlers that read them are installed, and stay.
enum CrashGuard {
    nonisolated(unsafe) fileprivate static var words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?

    /// - Parameter words: The command that takes the place.
    static func install(_ words: [String]) {
        let pointers = ([System.executable] + words).map { strdup($0) } + [nil]
        let stored = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: pointers.count)
        stored.initialize(from: pointers, count: pointers.count)
        self.words = stored
        for number in [SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGTRAP] { signal(number, crashed) }
    }
}

/// Only what a signal handler may call.
private func crashed(_ number: Int32) {
    signal(number, SIG_DFL)
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
    if let words = CrashGuard.words, let executable = words[0] { execv(executable, words) }
    _exit(ExitStatus.damaged.rawValue)
}

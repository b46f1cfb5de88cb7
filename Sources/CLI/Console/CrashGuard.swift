internal import TidelogPlatform
internal import TidelogSynchronization

/// Reports damage when reading a damaged file crashes the process. A signal handler then replaces the process by another run of
/// this tool, which finds the damaged file and reports it. The guard costs nothing until that happens.
enum CrashGuard {
    /// The address of the command's words in the form of `execv`. It is stored before the handlers that load it are installed.
    fileprivate static let words = Atomic<Int>(0)

    /// - Parameter words: The command that replaces the process.
    static func install(_ words: [String]) {
        let pointers = ([System.executable] + words).map { strdup($0) } + [nil]
        let stored = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: pointers.count)
        stored.initialize(from: pointers, count: pointers.count)
        self.words.store(Int(bitPattern: stored), ordering: .releasing)
        for number in [SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGTRAP] { signal(number, crashed) }
    }
}

/// The signal handler. It calls only functions that a signal handler may call.
private func crashed(_ number: Int32) {
    signal(number, SIG_DFL)
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
    let words = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>(
        bitPattern: CrashGuard.words.load(ordering: .acquiring))
    if let words, let executable = words[0] { execv(executable, words) }
    _exit(ExitStatus.damaged.rawValue)
}

/// Explains why another command crashed on a store.
struct CrashedCommand: Command {
    static let syntax = CommandSyntax(
        name: "crashed", summary: "why a command died on a store", options: Option.forStore, isHidden: true)

    private let access: StoreAccess

    init(_ arguments: Arguments) throws { access = try StoreAccess(arguments) }

    func run(_ console: Console) async throws -> ExitStatus {
        throw try await access.damage()
            ?? CommandFailure(
                .failed, "crashed", "The command died, though nothing in \(access.path) is damaged.",
                recovery: "This is a fault of the tool: please report it with the command.")
    }
}

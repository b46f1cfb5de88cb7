internal import Tidelog

/// Explains why another command crashed on a store.
struct CrashedCommand: Command {
    static let syntax = CommandSyntax(
        name: "crashed", summary: "why a command died on a store", options: Option.forStore, isHidden: true)

    private let path: String

    init(_ arguments: Arguments) throws { path = try StoreAccess(arguments).path }

    func run(_ console: Console) async throws -> ExitStatus {
        throw try await DamageDiagnosis.failure(ofStoreAt: path)
            ?? CommandFailure(
                .failed, "crashed", "The command died, though nothing in \(path) is damaged.",
                recovery: "This is a fault of the tool: please report it with the command.")
    }
}

/// Finds the damaged file whose reading crashes the process. The reading happens in child processes.
enum DamageDiagnosis {
    /// The damage as a failure; `nil` if nothing is damaged.
    static func failure(ofStoreAt path: String) async throws -> CommandFailure? {
        guard try await isReadable(path, logOnly: true) else {
            return CommandFailure(
                .damaged, "damaged", "The log of \(path) is damaged so badly that reading it ends the process.",
                recovery:
                    "Salvage every undamaged event: `tidelog verify --store \(path) --salvage DIR`; or restore a backup."
            )
        }
        guard try await isReadable(path, logOnly: false) else {
            return CommandFailure(
                .damaged, "damaged", "The rows of \(path) are damaged; its log is good.",
                recovery: "Recreate the rows from the log: `tidelog rebuild --store \(path)`.")
        }
        return nil
    }

    /// Whether a child process that verifies the store finds nothing wrong.
    private static func isReadable(_ path: String, logOnly: Bool) async throws -> Bool {
        let arguments = ["verify-child", "--store", path] + (logOnly ? ["--log-only"] : [])
        let child = try ChildRun(System.executable, arguments, readsOutput: true, mayCrash: true, isSilent: true)
        while child.readLine() != nil {}
        return try await child.wait() == .exited(.done)
    }
}

internal import Tidelog
internal import TidelogJSON

/// Copies a store while a writer works.
struct BackupCommand: Command {
    static let syntax = CommandSyntax(
        name: "backup", summary: "copy a store, also while a writer works",
        discussion:
            "Every event is checked before the copy gets its name, so a directory with the name TO is complete.",
        operands: [.init(name: "TO", help: "the directory of the copy, which must not exist")],
        options: Option.forStore,
        examples: [.init("A copy next to the store", "backup --store ./world ./world-backup")])

    private let access: StoreAccess
    private let target: String

    init(_ arguments: Arguments) throws {
        access = try StoreAccess(arguments)
        target = try arguments.operand(0)
    }

    func run(_ console: Console) async throws -> ExitStatus {
        let store = try access.openForReading()
        let end = try await ProgressBar.Shared.showing("Checking the copy", on: console) { progress in
            try await store.backup(to: StoreAccess(path: target).url) { progress.update($0) }
        }
        try await store.close()
        if console.isJSON {
            try console.output.writeObject { writer in
                writer.member("backup", target)
                writer.member("sequence", end.sequence.value)
            }
        } else {
            console.success("Copied to \(console.shownInMessage(target)), up to event \(end.sequence); verified.")
        }
        return .done
    }
}

internal import Tidelog
internal import TidelogJSON

/// Empties a store.
struct ClearCommand: Command {
    static let syntax = CommandSyntax(
        name: "clear", summary: "empty a store: all records and the log; the schema stays",
        discussion: "Nothing is sent to a server. Killed at any moment, the store is as it was or empty.",
        options: Option.forStore + [Option(name: "yes", help: "yes, erase everything")],
        examples: [.init("Erase everything", "clear --store ./world --yes")])

    private let access: StoreAccess

    init(_ arguments: Arguments) throws {
        access = try StoreAccess(arguments)
        guard arguments.has("yes") else {
            throw UsageError("clear erases every record and the log of \(access.path): say --yes.")
        }
    }

    func run(_ console: Console) async throws -> ExitStatus {
        let store = try access.openForWriting(console: console)
        let head = try store.head.sequence
        try await store.clear()
        try await store.close()
        if console.isJSON {
            try console.output.writeObject { $0.member("cleared", head.value) }
        } else {
            console.success("\(console.shownInMessage(access.path)) is empty; its schema stays.")
        }
        return .done
    }
}

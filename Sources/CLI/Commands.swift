/// Every command, in the order of the overview.
enum Commands {
    /// A group of commands that share their first word.
    struct Group: Sendable {
        /// The first word.
        let name: String
        /// A one-line summary for the help.
        let summary: String

        var commands: [CommandSyntax] {
            Commands.all.map { $0.syntax }.filter { $0.name.hasPrefix(name + " ") && !$0.isHidden }
        }
    }

    static let all: [any Command.Type] = [
        ImportCommand.self, QueryCommand.self, GetCommand.self, SaveCommand.self, DeleteCommand.self,
        ExportCommand.self, InitCommand.self, HistoryCommand.self, LogCommand.self, StatsCommand.self,
        VerifyCommand.self, RebuildCommand.self, CompactCommand.self, BackupCommand.self, ClearCommand.self,
        MigrateCommand.self, GenerateCommand.self, SchemaCommands.Print.self, SchemaCommands.Diff.self,
        SchemaCommands.Status.self, PullSchemaCommand.self, ServeCommand.self, InspectCommand.self,
        SyncCommand.self, OutboxCommands.List.self,
        OutboxCommands.Retry.self, OutboxCommands.Discard.self, DemoCommand.self, BenchCommand.self,
        VerifyCommand.Child.self, CrashedCommand.self,
    ]

    /// The groups of commands that share their first word.
    static let groups = [
        Group(name: "schema", summary: "print schemas, compare them, and see what a store would make of one"),
        Group(name: "outbox", summary: "list, retry and discard the changes that no server has taken yet"),
    ]

    /// The error about `words`, which name no command.
    static func unknown(_ words: [String]) -> UsageError {
        let names = all.map { $0.syntax }.filter { !$0.isHidden }.map(\.name)
        if let group = groups.first(where: { $0.name == words[0] }) {
            let second = words.dropFirst().first.map { "There is no command \"\(group.name) \($0)\". " } ?? ""
            let commands = group.commands.map(\.name)
            return UsageError(
                "\(second)The commands of \(group.name) are \(commands.joined(separator: ", ")).",
                word: words.prefix(2).joined(separator: " "), candidates: commands, help: "tidelog \(group.name) --help"
            )
        }
        return UsageError("There is no command \"\(words[0])\".", word: words[0], candidates: names)
    }

    /// The command whose name `words` begin with, and the number of words in that name.
    static func find(_ words: [String]) -> (command: any Command.Type, nameLength: Int)? {
        for length in [2, 1] where words.count >= length {
            let name = words[..<length].joined(separator: " ")
            if let command = all.first(where: { $0.syntax.name == name }) { return (command, length) }
        }
        return nil
    }
}

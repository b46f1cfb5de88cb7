/// One command: what it takes, and what it does.
protocol Command: Sendable {
    /// Its name, arguments, options and examples.
    static var syntax: CommandSyntax { get }

    /// The command with its arguments, checked as far as they can be without a store.
    init(_ arguments: Arguments) throws

    /// Does it.
    func run(_ console: Console) async throws -> ExitStatus
}

extension Command {
    /// Makes the command and does it.
    static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitStatus {
        try await Self(arguments).run(console)
    }
}

/// Every command, in the order of the overview.
enum Commands {
    static let all: [any Command.Type] = [
        ImportCommand.self, QueryCommand.self, GetCommand.self, SaveCommand.self, DeleteCommand.self,
        ExportCommand.self, InitCommand.self, HistoryCommand.self, LogCommand.self, StatsCommand.self,
        VerifyCommand.self,
        RebuildCommand.self, CompactCommand.self, BackupCommand.self, ClearCommand.self, GenerateCommand.self,
        SchemaPrintCommand.self, SchemaDiffCommand.self, SchemaStatusCommand.self, DemoCommand.self, BenchCommand.self,
        VerifyChildCommand.self, CrashedCommand.self,
    ]

    /// Why `words` name no command.
    static func unknown(_ words: [String]) -> UsageError {
        let names = all.map { $0.syntax }.filter { !$0.isHidden }.map(\.name)
        let parts = names.filter { $0.hasPrefix(words[0] + " ") }
        guard parts.isEmpty else { return UsageError("\(words[0]) is \(parts.joined(separator: " or ")).") }
        return UsageError("There is no command \"\(words[0])\".", word: words[0], candidates: names)
    }

    /// The command that `words` begin with, and how many of them name it.
    static func find(_ words: [String]) -> (command: any Command.Type, nameLength: Int)? {
        for length in [2, 1] where words.count >= length {
            let name = words[..<length].joined(separator: " ")
            if let command = all.first(where: { $0.syntax.name == name }) { return (command, length) }
        }
        return nil
    }
}

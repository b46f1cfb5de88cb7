/// A command of the tool: its syntax, and its execution.
protocol Command: Sendable {
    /// Its name, arguments, options and examples.
    static var syntax: CommandSyntax { get }

    /// Makes the command from its arguments. The arguments are checked as far as this is possible without a store.
    init(_ arguments: Arguments) throws

    /// Executes the command.
    func run(_ console: Console) async throws -> ExitStatus
}

extension Command {
    /// Makes the command and executes it.
    static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitStatus {
        try await Self(arguments).run(console)
    }
}

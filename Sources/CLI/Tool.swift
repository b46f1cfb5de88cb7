/// The tool as a whole. It finds the command, runs it, and reports the result.
enum Tool {
    /// The version of the tool.
    static let version = "0.1.0"

    static func run(_ words: [String]) async -> ExitStatus {
        Interruption.install()
        let console = Console(
            isJSON: words.contains("--json"), wantsProgress: words.contains("--progress"),
            messages: words.first == VerifyCommand.Child.syntax.name ? ChildRun.messages : 2)
        do {
            let status = try await dispatch(words, console)
            try console.output.flush()
            return Interruption.isRequested ? .interrupted : status
        } catch {
            return report(error, console)
        }
    }

    private static func dispatch(_ words: [String], _ console: Console) async throws -> ExitStatus {
        if let status = try help(words, console) { return status }
        if words[0] == "--version" {
            try console.output.write("tidelog \(version)\n")
            return .done
        }
        guard let (command, nameLength) = Commands.find(words) else { throw Commands.unknown(words) }
        let arguments: Arguments
        do {
            arguments = try Arguments.Parser(syntax: command.syntax).parse(Array(words.dropFirst(nameLength)))
            if arguments.has("help") {
                try console.output.write(Help(style: console.outputStyle).text(command.syntax))
                return .done
            }
        } catch let error as UsageError {
            throw CommandFailure(error, of: command.syntax)
        }
        // `verify` is left out, because it already checks the store in a child process that may crash.
        if let store = arguments.text("store"), !command.syntax.isHidden, command != VerifyCommand.self {
            CrashGuard.install(["crashed", "--store", store] + (console.isJSON ? ["--json"] : []))
        }
        do {
            return try await command.run(arguments, console)
        } catch let error as UsageError {
            throw CommandFailure(error, of: command.syntax)
        }
    }

    /// Writes the help if `words` ask for it: for the tool, a group or a command.
    private static func help(_ words: [String], _ console: Console) throws -> ExitStatus? {
        let help = Help(style: console.outputStyle)
        let asking = ["help", "--help", "-h"]
        if words.isEmpty || words.count == 1 && asking.contains(words[0]) {
            try console.output.write(help.overview(Commands.all))
            return words.isEmpty ? .usage : .done
        }
        // `schema --help` does the same as `help schema`.
        let isOfGroup = words.count == 2 && asking.contains(words[1]) && Commands.find(words) == nil
        let subject = asking.contains(words[0]) ? Array(words.dropFirst()) : isOfGroup ? [words[0]] : []
        guard !subject.isEmpty else { return nil }
        if let found = Commands.find(subject), found.nameLength == subject.count, !found.command.syntax.isHidden {
            try console.output.write(help.text(found.command.syntax))
        } else if subject.count == 1, let group = Commands.groups.first(where: { $0.name == subject[0] }) {
            try console.output.write(help.text(group))
        } else {
            throw Commands.unknown(subject)
        }
        return .done
    }

    private static func report(_ error: any Error, _ console: Console) -> ExitStatus {
        // A command that only reads has nothing to do without a reader of its output.
        if error is Console.Output.Closed, !Interruption.isDeferred { return .done }
        try? console.output.flush()
        let failure = CommandFailure(error)
        console.report(failure)
        return failure.status
    }
}

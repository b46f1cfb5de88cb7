/// The tool as a whole: finds the command, runs it, and says how it went.
enum Tool {
    static func run(_ words: [String]) async -> ExitStatus {
        Interruption.install()
        let console = Console(
            isJSON: words.contains("--json"), wantsProgress: words.contains("--progress"),
            messages: words.first == VerifyChildCommand.syntax.name ? ChildRun.messages : 2)
        do {
            let status = try await dispatch(words, console)
            try console.output.flush()
            return Interruption.isRequested ? .interrupted : status
        } catch {
            return report(error, console)
        }
    }

    private static func dispatch(_ words: [String], _ console: Console) async throws -> ExitStatus {
        let help = Help(style: console.outputStyle)
        if words.isEmpty || ["--help", "-h", "help"].contains(words[0]) {
            if words.first == "help", let found = Commands.find(Array(words.dropFirst())) {
                try console.output.write(help.text(found.command.syntax))
            } else {
                try console.output.write(help.overview(Commands.all))
            }
            return words.isEmpty ? .usage : .done
        }
        if words[0] == "--version" {
            try console.output.write("tidelog \(Version.current)\n")
            return .done
        }
        guard let (command, nameLength) = Commands.find(words) else { throw Commands.unknown(words) }
        let arguments: Arguments
        do {
            arguments = try ArgumentParser(syntax: command.syntax).parse(Array(words.dropFirst(nameLength)))
            if arguments.has("help") {
                try console.output.write(help.text(command.syntax))
                return .done
            }
        } catch let error as UsageError {
            throw CommandFailure(error, of: command.syntax)
        }
        // A check has a child that may die.
        if let store = arguments.text("store"), !command.syntax.isHidden, command != VerifyCommand.self {
            CrashGuard.install(["crashed", "--store", store] + (console.isJSON ? ["--json"] : []))
        }
        do {
            return try await command.run(arguments, console)
        } catch let error as UsageError {
            throw CommandFailure(error, of: command.syntax)
        }
    }

    private static func report(_ error: any Error, _ console: Console) -> ExitStatus {
        // Whoever read the output has gone: there is nobody to tell.
        if error is OutputClosed { return Interruption.isDeferred ? .failed : .done }
        try? console.output.flush()
        let failure = CommandFailure(error)
        console.report(failure)
        return failure.status
    }
}

/// The version of the tool.
enum Version {
    static let current = "0.1.0"
}

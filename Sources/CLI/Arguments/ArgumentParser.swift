internal import TidelogSuggestion

/// An error in the arguments of a command.
struct UsageError: Error {
    let message: String
    /// The word that the user probably meant, as a question.
    let suggestion: String?
    /// The command whose help the message names, if it is not the command that was called.
    let help: String?
    /// The advice, if it is not to read the help of the command.
    let recovery: String?

    init(
        _ message: String, word: String? = nil, candidates: [String] = [], help: String? = nil, recovery: String? = nil
    ) {
        self.message = message
        self.help = help
        self.recovery = recovery
        suggestion = word.flatMap { Suggestion.didYouMean($0, among: candidates) }
    }
}

/// Reads the arguments of a command. They are `--name value`, `--name=value` or `--flag`, with operands between them. After
/// `--` all arguments are operands.
///
/// If the command needs a store and the arguments do not name one, the environment variable names it.
struct ArgumentParser {
    let syntax: CommandSyntax
    var environment: (String) -> String? = System.environment

    /// - Throws: ``UsageError`` for the first argument that the command does not take.
    func parse(_ arguments: [String]) throws(UsageError) -> Arguments {
        if syntax.passesThrough, arguments != ["--help"] { return Arguments(operands: arguments, values: [:]) }
        var operands: [String] = []
        var operandPlaces: [Int] = []
        var values: [String: [String]] = [:]
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                operands.append(contentsOf: rest)
                operandPlaces.append(contentsOf: rest.indices)
                break
            }
            guard Self.isOption(argument) else {
                operands.append(argument)
                operandPlaces.append(rest.startIndex - 1)
                continue
            }
            try read(argument, &rest, into: &values)
            try PredicateWords.check(optionBefore: rest.startIndex, in: arguments, of: syntax)
        }
        try PredicateWords.check(operandsAt: operandPlaces, in: arguments, of: syntax)
        let needsStore = syntax.options.contains { $0.name == Option.store.name && $0.isRequired }
        if needsStore, values[Option.store.name] == nil, let named = Option.namedStore(environment) {
            values[Option.store.name] = [named]
        }
        let isHelp = values["help"] != nil
        if !isHelp { try check(operands, values) }
        return Arguments(operands: operands, values: values)
    }

    /// A dash alone means standard input, and a negative number may be a key. Neither is an option.
    private static func isOption(_ argument: String) -> Bool {
        guard argument.utf8.first == UInt8(ascii: "-"), argument.utf8.count > 1 else { return false }
        return Double(argument) == nil
    }

    private func read(
        _ argument: String, _ rest: inout ArraySlice<String>, into values: inout [String: [String]]
    ) throws(UsageError) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let written = String(parts[0])
        let name = written == "-h" ? "help" : String(written.drop { $0 == "-" })
        guard written == "-h" || written.hasPrefix("--"),
            let option = syntax.allOptions.first(where: { $0.name == name })
        else {
            throw UsageError(
                "\(syntax.name) has no option \(written).", word: written,
                candidates: syntax.allOptions.map { "--\($0.name)" })
        }
        guard option.isRepeatable || values[name] == nil else { throw UsageError("--\(name) is given twice.") }
        guard let placeholder = option.value else {
            guard parts.count == 1 else { throw UsageError("--\(name) takes no value.") }
            values[name, default: []].append("")
            return
        }
        guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
            throw UsageError("--\(name) needs a value: --\(name) \(placeholder).")
        }
        values[name, default: []].append(value)
    }

    private func check(_ operands: [String], _ values: [String: [String]]) throws(UsageError) {
        for option in syntax.options where option.isRequired && values[option.name] == nil {
            let another = option.name == Option.store.name ? ", or the variable \(Option.storeVariable)" : ""
            throw UsageError("--\(option.name) is missing: --\(option.name) \(option.value ?? "")\(another).")
        }
        let least = syntax.operands.filter { !$0.isOptional }
        if operands.count < least.count { throw UsageError("\(least[operands.count].name) is missing.") }
        let takesMore = syntax.operands.last?.isRepeated ?? false
        if !takesMore, operands.count > syntax.operands.count {
            throw UsageError("\"\(operands[syntax.operands.count])\" is one argument too many.")
        }
    }
}

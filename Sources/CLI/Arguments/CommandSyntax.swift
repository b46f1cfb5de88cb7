/// The name and the arguments of a command. It is declared once, and both the parser and the help use it.
struct CommandSyntax: Sendable {
    /// The words that name the command, for example `import` or `schema print`.
    let name: String
    /// A one-line summary for the help.
    let summary: String
    /// Explanations that go beyond the options.
    var discussion = ""
    /// The arguments without dashes, in order.
    var operands: [Operand] = []
    /// The options of this command alone, without the options that every command has.
    var options: [Option] = []
    /// The examples that the help shows.
    var examples: [Example] = []
    /// Whether another program reads all arguments that follow the name.
    var passesThrough = false
    /// Whether the list of commands leaves this command out.
    var isHidden = false

    /// All accepted options, with the options that every command has.
    var allOptions: [Option] { options + [.json, .progress, .help] }

    /// The line of usage: `tidelog get --store DIR MODEL KEY…`.
    var synopsis: String {
        let required = options.filter(\.isRequired).map(\.synopsis)
        let optional = options.contains { !$0.isRequired } ? ["[options]"] : []
        return (["tidelog", name] + required + operands.map(\.synopsis) + optional).joined(separator: " ")
    }
}

/// An argument that is recognised by its place.
struct Operand: Sendable {
    /// The name in help, in capitals.
    let name: String
    /// The meaning, for the help.
    let help: String
    /// Whether the argument may be left out.
    var isOptional = false
    /// Whether the operand takes all remaining arguments.
    var isRepeated = false

    var synopsis: String {
        let text = isRepeated ? "\(name)…" : name
        return isOptional ? "[\(text)]" : text
    }
}

/// An argument that is recognised by its name.
struct Option: Sendable {
    /// The name without the dashes.
    let name: String
    /// The name of the value in help; `nil` for a flag.
    var value: String?
    /// The effect of the option, for the help.
    let help: String
    /// Whether the command requires the option.
    var isRequired = false
    /// Whether the option may be given more than once.
    var isRepeatable = false

    var synopsis: String { "--\(name)" + (value.map { " \($0)" } ?? "") }
}

/// An example of how a command is used.
struct Example: Sendable {
    /// The explanation of the example.
    let explanation: String
    /// The words to type after `tidelog`.
    let arguments: String

    init(_ explanation: String, _ arguments: String) {
        self.explanation = explanation
        self.arguments = arguments
    }
}

extension Option {
    static let json = Option(name: "json", help: "JSON on standard output, and errors as one JSON line")
    static let progress = Option(name: "progress", help: "show progress even where standard error is no terminal")
    static let help = Option(name: "help", help: "this text")
    static let store = Option(
        name: "store", value: "DIR", help: "the store's directory, else the directory that \(storeVariable) names",
        isRequired: true)
    static let adapter = Option(
        name: "adapter", value: "lmdb|sqlite",
        help: "the engine that keeps the rows: recorded when a store is created (lmdb)")
    static let durability = Option(
        name: "durability", value: "full|relaxed",
        help: "full: survives a power loss; relaxed: a crash; set at creation (full)")
    static let metadata = Option(
        name: "metadata", help: "add what the server said last: _version, _lastChangedAt, _deleted")

    /// The environment variable that names the store if the arguments do not.
    static let storeVariable = "TIDELOG_STORE"

    /// The store that the environment variable names, if it is set.
    static func namedStore(_ environment: (String) -> String?) -> String? {
        environment(storeVariable).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The options that name a store and check how the store was made.
    static let forStore: [Option] = [.store, .adapter, .durability]
}

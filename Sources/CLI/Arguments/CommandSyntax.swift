/// What a command is called and takes: declared once, used for reading arguments and for help.
struct CommandSyntax: Sendable {
    /// The words that name it: `import`, `schema print`.
    let name: String
    /// What it does, in one line.
    let summary: String
    /// What is worth knowing beyond the options.
    var discussion = ""
    /// What stands without dashes, in order.
    var operands: [Operand] = []
    /// Its options, without those that every command has.
    var options: [Option] = []
    /// How it is used: what help teaches with.
    var examples: [Example] = []
    /// Whether all that follows its name is another program's to read.
    var passesThrough = false
    /// Whether it is left out of the list of commands.
    var isHidden = false

    /// The options that may be given, with those that every command has.
    var allOptions: [Option] { options + [.json, .progress, .help] }

    /// `tidelog get --store DIR MODEL KEY…`.
    var synopsis: String {
        let required = options.filter(\.isRequired).map(\.synopsis)
        let optional = options.contains { !$0.isRequired } ? ["[options]"] : []
        return (["tidelog", name] + required + operands.map(\.synopsis) + optional).joined(separator: " ")
    }
}

/// An argument that is known by its place.
struct Operand: Sendable {
    /// Its name in help, in capitals.
    let name: String
    /// What it means.
    let help: String
    /// Whether it may be left out.
    var isOptional = false
    /// Whether it takes all arguments that are left.
    var isRepeated = false

    var synopsis: String {
        let text = isRepeated ? "\(name)…" : name
        return isOptional ? "[\(text)]" : text
    }
}

/// An argument that is known by its name.
struct Option: Sendable {
    /// Its name without the dashes.
    let name: String
    /// What help calls its value; `nil` for a flag.
    var value: String?
    /// What it does.
    let help: String
    /// Whether the command cannot do without it.
    var isRequired = false
    /// Whether it may be given more than once.
    var isRepeatable = false

    var synopsis: String { "--\(name)" + (value.map { " \($0)" } ?? "") }
}

/// One use of a command.
struct Example: Sendable {
    /// What it does.
    let explanation: String
    /// What to type behind `tidelog`.
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
        name: "store", value: "DIR", help: "the store's directory, else the one that \(storeVariable) names",
        isRequired: true)
    static let adapter = Option(
        name: "adapter", value: "lmdb|sqlite", help: "what keeps the rows: recorded when a store is created (lmdb)")
    static let durability = Option(
        name: "durability", value: "full|relaxed",
        help: "what an acknowledged write survives: recorded when a store is created (full)")
    static let metadata = Option(
        name: "metadata", help: "add what the server said last: _version, _lastChangedAt, _deleted")

    /// The variable that names the store for commands that are not told of one.
    static let storeVariable = "TIDELOG_STORE"

    /// The store that the environment names, if it names one.
    static func namedStore(_ environment: (String) -> String?) -> String? {
        environment(storeVariable).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// What names a store and checks how it was made.
    static let forStore: [Option] = [.store, .adapter, .durability]
}

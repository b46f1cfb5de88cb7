/// The name and the arguments of a command. It is declared once, and both the parser and the help use it.
struct CommandSyntax: Sendable {
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

        static let model = Operand(name: "MODEL", help: "the model")
        static let key = Operand(name: "KEY", help: "each field of the key, in schema order", isRepeated: true)

        var synopsis: String {
            let text = isRepeated ? "\(name)…" : name
            return isOptional ? "[\(text)]" : text
        }
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

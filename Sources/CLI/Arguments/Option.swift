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
    /// The name of an option that may be given in place of this one.
    var alternative: String?
    /// Whether the option may be given more than once.
    var isRepeatable = false

    /// The same option, in whose place `option` may be given.
    func or(_ option: Option) -> Option {
        var copy = self
        copy.alternative = option.name
        return copy
    }

    var synopsis: String { "--\(name)" + (value.map { " \($0)" } ?? "") }
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

    static let fields = Option(name: "fields", value: "a,b", help: "only these fields, in this order")

    /// The name of a predicate in help, as an operand and as the value of an option.
    static let predicate = "PREDICATE"

    /// The environment variable that names the store if the arguments do not.
    static let storeVariable = "TIDELOG_STORE"

    /// The store that the environment variable names, if it is set.
    static func namedStore(_ environment: (String) -> String?) -> String? {
        environment(storeVariable).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The options that name a store and check how the store was made.
    static let forStore: [Option] = [.store, .adapter, .durability]
}

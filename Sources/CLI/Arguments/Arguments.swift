internal import Tidelog
internal import TidelogRecordText

/// The arguments of one call, read by a ``CommandSyntax``.
struct Arguments: Sendable {
    /// The arguments without dashes, in order.
    let operands: [String]
    private let values: [String: [String]]

    init(operands: [String], values: [String: [String]]) {
        self.operands = operands
        self.values = values
    }

    /// Whether the flag was given.
    func has(_ name: String) -> Bool { values[name] != nil }

    /// The last value given for the option, `nil` if there was none.
    func text(_ name: String) -> String? { values[name]?.last }

    /// All values given for the option, in order.
    func texts(_ name: String) -> [String] { values[name] ?? [] }

    /// The value of an option that the command requires.
    func required(_ name: String) throws(UsageError) -> String {
        guard let value = text(name) else { throw UsageError("--\(name) is missing.") }
        return value
    }

    /// The value of an option that takes a number within `range`.
    func number(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = text(name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            let upper = range.upperBound == .max ? "" : " to \(range.upperBound.grouped)"
            throw UsageError("--\(name) takes a whole number from \(range.lowerBound)\(upper), not \"\(text)\".")
        }
        return number
    }

    /// The value of an option that takes one of a few words.
    func choice<Value>(_ name: String, _ choices: KeyValuePairs<String, Value>) throws(UsageError) -> Value? {
        guard let text = text(name) else { return nil }
        for (word, value) in choices where word == text { return value }
        throw UsageError(
            "--\(name) takes \(choices.map(\.key).joined(separator: ", ")), not \"\(text)\".",
            word: text, candidates: choices.map(\.key))
    }

    /// The operand at `index`.
    func operand(_ index: Int) throws(UsageError) -> String {
        guard index < operands.count else { throw UsageError("An argument is missing.") }
        return operands[index]
    }
}

extension Arguments {
    /// Reads the arguments of a command. They are `--name value`, `--name=value` or `--flag`, with operands between them. After
    /// `--` all arguments are operands.
    ///
    /// If the command needs a store and the arguments do not name one, the environment variable names it.
    struct Parser {
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
            let needsStore = syntax.options.contains { option in
                option.name == Option.store.name && option.isRequired && values[option.alternative ?? ""] == nil
            }
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
                if let name = option.alternative, values[name] != nil { continue }
                let another =
                    (option.alternative.map { ", or --\($0)" } ?? "")
                    + (option.name == Option.store.name ? ", or the variable \(Option.storeVariable)" : "")
                throw UsageError("--\(option.name) is missing: --\(option.name) \(option.value ?? "")\(another).")
            }
            let least = syntax.operands.filter { !$0.isOptional }
            if operands.count < least.count {
                let operand = least[operands.count]
                throw UsageError("\(operand.name) is missing: \(operand.help).")
            }
            let takesMore = syntax.operands.last?.isRepeated ?? false
            if !takesMore, operands.count > syntax.operands.count {
                throw UsageError("\"\(operands[syntax.operands.count])\" is one argument too many.")
            }
        }
    }
}

internal import Tidelog

/// A predicate that the shell has split into several arguments because it had no quotes.
struct PredicateWords {
    /// The places of the words among the arguments of the command.
    private let places: [Int]
    private let arguments: [String]
    private let syntax: CommandSyntax

    /// Words that can only follow a field.
    private static let operators: Set = [
        "=", "==", "===", "!=", "<>", "<", "<=", ">", ">=", "in", "not", "is", "like", "between", "contains",
    ]

    /// - Throws: ``UsageError`` if there are more operands than the command takes, and the last one is a predicate.
    static func check(operandsAt places: [Int], in arguments: [String], of syntax: CommandSyntax) throws(UsageError) {
        guard let last = syntax.operands.last, last.name == Option.predicate, places.count > syntax.operands.count
        else {
            return
        }
        let words = PredicateWords(
            places: Array(places[(syntax.operands.count - 1)...]), arguments: arguments, syntax: syntax)
        throw words.error
    }

    /// - Throws: ``UsageError`` if the argument before `place` is the predicate of an option, and an operator follows it.
    static func check(optionBefore place: Int, in arguments: [String], of syntax: CommandSyntax) throws(UsageError) {
        guard place >= 2, place < arguments.count, operators.contains(arguments[place].lowercased()),
            syntax.options.contains(where: { option in
                "--\(option.name)" == arguments[place - 2] && option.value == Option.predicate
            })
        else { return }
        let end = arguments[place...].firstIndex { $0.hasPrefix("--") } ?? arguments.count
        throw PredicateWords(places: Array(place - 1..<end), arguments: arguments, syntax: syntax).error
    }

    private var error: UsageError {
        UsageError(
            "The predicate has no quotes, so the shell has made \(places.count) arguments of it.",
            recovery: "Put the predicate in quotes: \(command)")
    }

    /// The command with the predicate in quotes.
    private var command: String {
        var words = ["tidelog", syntax.name]
        for (place, argument) in arguments.enumerated() {
            if place == places.first {
                words.append(predicate.inShellQuotes)
            } else if !places.contains(place) {
                words.append(argument.asShellWord)
            }
        }
        return words.joined(separator: " ")
    }

    /// The predicate in its right form, as far as that is known. The shell has removed the quotes of its texts.
    private var predicate: String {
        let words = places.map { place in
            let word = arguments[place]
            let isText = word.contains(" ") && !word.contains("\"") && !word.contains("(")
            return isText ? "\"\(word)\"" : word
        }
        let text = words.joined(separator: " ")
        do {
            _ = try QueryPredicate(parsing: text)
            return text
        } catch {
            return error.corrected ?? text
        }
    }
}

internal import Tidelog

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
    func choice<Value>(
        _ name: String, _ choices: KeyValuePairs<String, Value>
    ) throws(UsageError) -> Value? {
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

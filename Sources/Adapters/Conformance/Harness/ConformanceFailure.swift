/// A rule that an adapter breaks.
public struct ConformanceFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The stable name of the broken rule.
    public let rule: String
    /// The name of the case that found it.
    public let caseName: String
    /// What an adapter that keeps the rule gives.
    public let expected: String
    /// What this adapter gave.
    public let got: String
    /// Where to look.
    public let hint: String

    /// The failure over several lines, for people.
    public var description: String {
        """
        broken rule \(rule): \(caseName)
          expected: \(expected)
          got:      \(got)
          hint:     \(hint)
        """
    }
}

/// What a case found, before it is known by its name.
struct Mismatch: Error {
    let expected: String
    let got: String
    let hint: String
}

/// Throws if `got` is not `expected`.
func expect<Value: Equatable>(_ got: Value, _ expected: Value, _ hint: @autoclosure () -> String) throws {
    guard got != expected else { return }
    throw Mismatch(expected: shortened("\(expected)"), got: shortened("\(got)"), hint: hint())
}

/// `text`, cut if it would fill a screen.
private func shortened(_ text: String) -> String {
    text.utf8.count <= 2_000 ? text : "\(text.prefix(2_000)) … (\(text.utf8.count) bytes)"
}

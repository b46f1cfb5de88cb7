/// An error: an adapter breaks a rule.
public struct ConformanceFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The stable name of the broken rule.
    public let rule: String
    /// The name of the case that found the failure.
    public let caseName: String
    /// The result of an adapter that follows the rule.
    public let expected: String
    /// The result of this adapter.
    public let got: String
    /// A hint about the place of the failure.
    public let hint: String

    /// The failure in several lines, for people.
    public var description: String {
        """
        broken rule \(rule): \(caseName)
          expected: \(expected)
          got:      \(got)
          hint:     \(hint)
        """
    }
}

extension ConformanceFailure {
    /// A difference that a case found. It does not have the case's name yet.
    struct Mismatch: Error {
        let expected: String
        let got: String
        let hint: String
    }
}

/// Throws if `got` is not `expected`.
func expect<Value: Equatable>(_ got: Value, _ expected: Value, _ hint: @autoclosure () -> String) throws {
    guard got != expected else { return }
    throw ConformanceFailure.Mismatch(expected: shortened("\(expected)"), got: shortened("\(got)"), hint: hint())
}

/// The beginning of `text`, if it is too long for a screen.
private func shortened(_ text: String) -> String {
    text.utf8.count <= 2_000 ? text : "\(text.prefix(2_000)) … (\(text.utf8.count) bytes)"
}

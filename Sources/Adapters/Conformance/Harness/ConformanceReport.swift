/// The results of a run of all cases.
public struct ConformanceReport: Sendable, CustomStringConvertible {
    /// The names of the cases that the adapter passed.
    public internal(set) var passed: [String] = []
    /// The names of the cases that do not apply to the adapter.
    public internal(set) var skipped: [String] = []
    /// The rules that the adapter breaks.
    public internal(set) var failures: [ConformanceFailure] = []

    /// The names of the broken rules.
    public var brokenRules: Set<String> { Set(failures.map(\.rule)) }

    /// One line for each broken rule, then the failures, then the totals.
    public var description: String {
        var lines: [String] = []
        for rule in brokenRules.sorted() {
            lines.append("BROKEN \(rule): \(failures.count { $0.rule == rule }) cases")
        }
        lines += failures.map(\.description)
        lines.append("\(passed.count) passed, \(failures.count) failed, \(skipped.count) skipped")
        return lines.joined(separator: "\n")
    }
}

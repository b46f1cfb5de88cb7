@_spi(Adapters) public import TidelogCore

/// Checks adapters: all rules of `StorageAdapter` as cases that can be run against an adapter.
///
/// It needs no test framework. ``ConformanceCase/check(isPersistent:_:)`` throws an error if a rule is broken, and
/// ``report(rules:isPersistent:_:)`` runs all cases.
public enum ConformanceKit {
    /// All cases. Cases on which other cases depend come first.
    public static let cases: [ConformanceCase] =
        RowCases.all + KeyCases.all + ComparisonCases.all + LogicCases.all + NumberCases.all + TextCases.all
        + ValueCases.all + SortCases.all + PageCases.all + IndexCases.all + LongIndexKeyCases.all
        + TransactionCases.all + SnapshotCases.all
        + CheckpointCases.all + AuxiliaryCases.all + SchemaCases.all + PersistenceCases.all + PlanCases.all
        + EmbeddedCases.all + PartCases.all + KeyRangeCases.all
        + LifetimeCases.all + RelatedCases.all

    /// Runs the cases with adapters that `makeAdapter` makes, like ``ConformanceCase/check(isPersistent:_:)``.
    ///
    /// - Parameters:
    ///   - rules: The names of the rules to check, or `nil` for all.
    ///   - isPersistent: Whether the adapter's rows outlive the adapter, as its factory declares.
    ///   - makeAdapter: Opens the adapter in an existing directory.
    /// - Throws: No error for a broken rule, because the report contains the failures.
    @_spi(Adapters) public static func report(
        rules: Set<String>? = nil, isPersistent: Bool = true,
        _ makeAdapter: @escaping (_ directory: String) throws -> any StorageAdapter
    ) throws -> ConformanceReport {
        var report = ConformanceReport()
        for rule in cases where rules?.contains(rule.rule) ?? true {
            do {
                switch try rule.check(isPersistent: isPersistent, makeAdapter) {
                case .passed: report.passed.append(rule.name)
                case .skipped: report.skipped.append(rule.name)
                }
            } catch let failure as ConformanceFailure {
                report.failures.append(failure)
            }
        }
        return report
    }
}

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

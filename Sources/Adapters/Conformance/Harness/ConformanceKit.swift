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

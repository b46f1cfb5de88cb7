@_spi(Adapters) internal import TidelogCore
internal import TidelogGraphQLExecution

/// A filter or condition of the API, as a predicate on stored records.
struct RecordFilter: Sendable {
    /// The predicate. A test of a missing value fails, except for `ne`, `notContains` and `attributeExists: false`.
    let predicate: QueryPredicate
    /// The names of the fields that the filter tests.
    let fields: Set<String>

    /// The filter that every record passes.
    static let all = RecordFilter(predicate: .all, fields: [])

    /// Whether the filter tests nothing, so that every record passes.
    var passesAll: Bool { predicate == .all }

    /// The filter for single records of the model with `layout`.
    func condition(on layout: ModelLayout) throws(ResolverError) -> Condition {
        do { return Condition(predicate: try RowPredicate(predicate, for: layout)) } catch {
            throw ServiceFailure.error(of: error)
        }
    }

    /// A filter that is applied to single records.
    struct Condition: Sendable {
        fileprivate let predicate: RowPredicate

        /// Whether every record passes.
        var passesAll: Bool { predicate.isAlwaysTrue }

        /// Whether the record with `row` passes.
        ///
        /// - Throws: An error if `budget` does not allow the comparisons.
        func holds(for row: EncodedRow, within budget: ComparisonBudget) throws(ResolverError) -> Bool {
            if passesAll { return true }
            var compared = ComparedBytes(limit: budget.remainingByteCount)
            let holds: Bool
            do {
                holds = try row.withRow { try predicate.evaluate($1, counting: &compared) }
            } catch {
                throw ServiceFailure.error(of: error)
            }
            try budget.spend(compared.count)
            return holds
        }
    }
}

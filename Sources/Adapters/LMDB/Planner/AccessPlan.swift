@_spi(Adapters) internal import TidelogCore

/// A plan that defines how the rows of a query are found.
struct AccessPlan: Hashable {
    enum Access: Hashable {
        /// No row can match.
        case nothing
        /// The row with one key.
        case key([UInt8])
        /// The rows of the table in a range of primary keys.
        case table
        /// The rows in the entries of the index with this number.
        case index(UInt16)
        /// The rows of several plans, and whether no row is in two of them.
        indirect case alternatives([AccessPlan], areDisjoint: Bool)
    }

    var access: Access
    /// The range of keys to read, in the table or the index.
    var range = KeyRange.all
    /// Whether the range is read backwards.
    var isDescending = false
    /// The number of components that form a run of equal fields. In a run, primary keys are in ascending order.
    var groupComponentCount = 0
    /// Whether the rows are found in the query's order.
    var matchesOrder = true
    /// Whether all rows in the range match the predicate.
    var provesPredicate = false
    /// The conjuncts of the predicate that define the range.
    var conjuncts: Set<Int> = []
}

extension AccessPlan {
    /// A description of the plan for people.
    func described(_ query: StorageQuery) -> QueryPlan {
        var parts: [String]
        var name: String?
        let bounds = query.predicate.conjuncts.enumerated().compactMap { index, conjunct in
            conjuncts.contains(index) ? conjunct.planText : nil
        }
        switch access {
        case .nothing: parts = ["nothing: no row can pass"]
        case .key: parts = ["primary key"] + bounds
        case .table: parts = [bounds.isEmpty ? "table scan" : "primary key"] + bounds
        case .index(let number):
            name = query.model.indexes.first { $0.number == number }?.name
            parts = ["index \(name ?? "")"] + bounds
        case .alternatives(let alternatives, _):
            let plans = alternatives.map { $0.described(query) }
            let indexes = Set(plans.map(\.index))
            name = indexes.count == 1 ? plans[0].index : nil
            let accesses = Set(plans.map { $0.index.map { "index \($0)" } ?? "primary key" })
            parts = ["\(accesses.sorted().joined(separator: " and ")), \(plans.count) alternatives"]
        }
        if isDescending { parts.append("descending") }
        if !matchesOrder {
            let order = query.sort.map { $0.field.name + ($0.isDescending ? " descending" : "") }
            parts.append("sorted by " + (order.isEmpty ? "key" : order.joined(separator: ", ")))
        }
        return QueryPlan(index: name, summary: parts.joined(separator: ", "), sorts: !matchesOrder)
    }
}

extension QueryPredicate {
    /// A description of one conjunct for people, as it appears in plans.
    fileprivate var planText: String {
        guard case .field(let name, let comparison) = self else { return "" }
        func text(_ value: FieldValue?) -> String {
            switch value {
            case nil: "nil"
            case .string(let text)?: text.count <= 40 ? "\"\(text)\"" : "\"\(text.prefix(39))…\""
            case .int(let number)?: "\(number)"
            case .double(let number)?: "\(number)"
            case .bool(let flag)?: "\(flag)"
            case .date(let date)?: date.text
            case .time(let time)?: time.text
            case .dateTime(let dateTime)?: dateTime.text
            case .embedded?, .list?: "…"
            }
        }
        return switch comparison {
        case .equal(let value): "\(name) == \(text(value))"
        case .notEqual(let value): "\(name) != \(text(value))"
        case .less(let value): "\(name) < \(text(value))"
        case .lessOrEqual(let value): "\(name) <= \(text(value))"
        case .greater(let value): "\(name) > \(text(value))"
        case .greaterOrEqual(let value): "\(name) >= \(text(value))"
        case .between(let lower, let upper): "\(name) between \(text(lower)) and \(text(upper))"
        case .beginsWith(let prefix): "\(name) beginsWith \(text(.string(prefix)))"
        case .endsWith(let suffix): "\(name) endsWith \(text(.string(suffix)))"
        case .ignoringCase(let comparison, let other): "\(name) \(comparison) \(text(.string(other))) in any case"
        case .contains(let value): "\(name) contains \(text(value))"
        case .notContains(let value): "\(name) notContains \(text(value))"
        }
    }
}

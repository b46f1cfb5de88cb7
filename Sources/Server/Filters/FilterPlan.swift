internal import TidelogCore

/// Finds the index that can answer a part of a filter, so that a page does not need to read the whole table.
///
/// The adapter chooses how it reads a page. But the order of the pages must be known before, and must stay the same from page
/// to page.
struct FilterPlan {
    /// The part of the filter that the index answers; `.all` if no index can.
    private(set) var predicate = QueryPredicate.all
    /// The order of the records in the index, by its remaining fields. The first fields are equal in all records.
    private(set) var sort = Sort.byKey

    /// - Parameter mayOrder: Whether an index with this field may be used. The order of an index reveals something about its
    ///   fields.
    init(_ filter: QueryPredicate, of model: ModelSchema, mayOrder: (String) -> Bool = { _ in true }) {
        let conjuncts = filter.conjuncts
        var bestCount = 0
        for (number, names) in ([model.primaryKey] + model.indexes.map(\.fields)).enumerated() {
            guard number == 0 || names.allSatisfy(mayOrder) else { continue }
            var parts: [QueryPredicate] = []
            for name in names {
                guard let equality = conjuncts.first(where: { $0.isEquality(of: name) }) else { break }
                parts.append(equality)
            }
            let equalCount = parts.count
            guard equalCount > 0 else { continue }
            if equalCount < names.count { parts += conjuncts.filter { $0.isRange(of: names[equalCount]) } }
            guard parts.count > bestCount else { continue }
            bestCount = parts.count
            predicate = .and(parts)
            let isTable = number == 0
            sort = isTable ? .byKey : Sort(names[equalCount...].map { Sort.Key($0) })
        }
        assert((bestCount == 0) == (predicate == .all), "only a plan without parts reads the whole table")
    }
}

extension QueryPredicate {
    /// Whether the predicate compares the field called `name` with one value for equality.
    fileprivate func isEquality(of name: String) -> Bool {
        if case .field(name, .equal(.some)) = self { true } else { false }
    }

    /// Whether the values of the field called `name` for which the predicate holds follow each other.
    fileprivate func isRange(of name: String) -> Bool {
        guard case .field(name, let comparison) = self else { return false }
        return switch comparison {
        case .less, .lessOrEqual, .greater, .greaterOrEqual, .between, .beginsWith: true
        default: false
        }
    }
}

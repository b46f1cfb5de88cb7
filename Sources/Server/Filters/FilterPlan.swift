internal import TidelogCore

/// Finds the index that can answer a part of a filter, so that a page does not need to read the whole table.
struct FilterPlan {
    /// The part of the filter that the index answers; `.all` if no index can.
    private(set) var predicate = QueryPredicate.all
    /// The order of the records in the index, by its remaining fields. The first fields are equal in all records.
    private(set) var sort = Sort.byKey

    /// - Parameter mayOrder: Whether an index with this field may be used. The order of an index reveals something about its
    ///   fields.
    init(_ filter: RecordFilter, of model: ModelSchema, mayOrder: (String) -> Bool = { _ in true }) {
        let conjuncts = filter.conjuncts
        var bestCount = 0
        for (number, names) in ([model.primaryKey] + model.indexes.map(\.fields)).enumerated() {
            guard number == 0 || names.allSatisfy(mayOrder) else { continue }
            let fields = names.compactMap { model.field(named: $0) }
            var parts: [QueryPredicate] = []
            for field in fields {
                guard let value = Self.equal(field, conjuncts) else { break }
                parts.append(.field(field.name, .equal(value)))
            }
            let equalCount = parts.count
            guard equalCount > 0 else { continue }
            if equalCount < fields.count { parts += Self.ranges(fields[equalCount], conjuncts) }
            guard parts.count > bestCount else { continue }
            bestCount = parts.count
            predicate = .and(parts)
            let isTable = number == 0
            sort = isTable ? .byKey : Sort(names[equalCount...].map { Sort.Key($0) })
        }
    }

    private static func equal(_ field: FieldSchema, _ conjuncts: [RecordFilter]) -> FieldValue? {
        for case .field(field.name, .compares(.eq, let value)) in conjuncts where value.isOf(field.type) {
            return value
        }
        return nil
    }

    private static func ranges(_ field: FieldSchema, _ conjuncts: [RecordFilter]) -> [QueryPredicate] {
        conjuncts.compactMap { conjunct in
            guard case .field(field.name, let test) = conjunct else { return nil }
            return comparison(test, field.type).map { .field(field.name, $0) }
        }
    }

    private static func comparison(_ test: FilterTest, _ type: FieldType) -> QueryPredicate.Comparison? {
        switch test {
        case .compares(.lt, let value) where value.isOf(type): .less(value)
        case .compares(.le, let value) where value.isOf(type): .lessOrEqual(value)
        case .compares(.gt, let value) where value.isOf(type): .greater(value)
        case .compares(.ge, let value) where value.isOf(type): .greaterOrEqual(value)
        case .between(let low, let high) where low.isOf(type) && high.isOf(type): .between(low, high)
        case .beginsWith(let text) where type.isText: .beginsWith(text)
        default: nil
        }
    }
}

extension FieldValue {
    /// Whether a predicate on a field of `type` can use this value. For example, a text cannot be compared with a time.
    fileprivate func isOf(_ type: FieldType) -> Bool {
        if case .string = self { type.isText } else { true }
    }
}

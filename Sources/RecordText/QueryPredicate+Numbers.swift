@_spi(Adapters) internal import TidelogCore

extension QueryPredicate {
    /// The same predicate with the numbers in it as the fields of `row` take them.
    func takingNumbers(of row: RowLayout) -> QueryPredicate {
        switch self {
        case .all: self
        case .and(let members): .and(members.map { $0.takingNumbers(of: row) })
        case .or(let members): .or(members.map { $0.takingNumbers(of: row) })
        case .not(let member): .not(member.takingNumbers(of: row))
        case .related(let name, let inner):
            .related(name, row.field(named: name)?.embedded.map { inner.takingNumbers(of: $0) } ?? inner)
        case .field(let name, let comparison):
            .field(name, row.field(named: name).map { comparison.takingNumbers(of: $0) } ?? comparison)
        }
    }
}

extension QueryPredicate.Comparison {
    fileprivate func takingNumbers(of field: FieldLayout) -> Self {
        let taken = { (value: FieldValue) in value.taken(as: field.type, field.embedded) }
        switch self {
        case .equal(let value): return .equal(value.map(taken))
        case .notEqual(let value): return .notEqual(value.map(taken))
        case .less(let value): return .less(taken(value))
        case .lessOrEqual(let value): return .lessOrEqual(taken(value))
        case .greater(let value): return .greater(taken(value))
        case .greaterOrEqual(let value): return .greaterOrEqual(taken(value))
        case .between(let lower, let upper): return .between(taken(lower), taken(upper))
        case .contains(let value): return .contains(value.taken(asElementOf: field))
        case .notContains(let value): return .notContains(value.taken(asElementOf: field))
        case .beginsWith, .endsWith, .ignoringCase: return self
        }
    }
}

extension FieldValue {
    /// The value as a field of `type` takes it when a record is imported: a Float takes any number, as the nearest Float.
    fileprivate func taken(as type: FieldType, _ embedded: RowLayout?) -> FieldValue {
        switch (type, self) {
        case (.double, .int(let number)): return .double(Double(number))
        case (.list(let element, _), .list(let values)): return .list(values.map { $0?.taken(as: element, embedded) })
        case (.embedded, .embedded(var members)):
            for field in embedded?.fields ?? [] {
                members[field.name] = members[field.name]?.taken(as: field.type, field.embedded)
            }
            return .embedded(members)
        default: return self
        }
    }

    fileprivate func taken(asElementOf field: FieldLayout) -> FieldValue {
        if case .list(let element, _) = field.type { taken(as: element, field.embedded) } else { self }
    }
}

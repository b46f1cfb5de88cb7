import TidelogCore

/// Whether `record` satisfies `predicate`, by the rules of invariant 13. This reference uses decoded values, and shares no
/// code with the tested evaluation. The predicate must fit the record's model.
func evaluate(_ predicate: QueryPredicate, _ record: Record) -> Bool {
    switch predicate {
    case .all: true
    case .and(let members): !members.map { evaluate($0, record) }.contains(false)
    case .or(let members): members.map { evaluate($0, record) }.contains(true)
    case .not(let member): !evaluate(member, record)
    case .field(let name, let comparison): evaluate(comparison, record[name])
    case .related(let name, .field(let part, let comparison)):
        record[name].flatMap { partOf($0, part) }.map { evaluate(comparison, $0) } ?? false
    case .related: false
    }
}

/// The size or the text of a value, or `nil` if the value has no such part.
private func partOf(_ value: FieldValue, _ name: String) -> FieldValue? {
    if case .list(let elements) = value { return name == "size" ? .int(Int64(elements.count)) : nil }
    let text: String? =
        switch value {
        case .string(let text): text
        case .date(let date): date.text
        case .time(let time): time.text
        case .dateTime(let dateTime): dateTime.text
        default: nil
        }
    return text.map { name == "size" ? .int(Int64($0.utf8.count)) : .string($0) }
}

private func evaluate(_ comparison: QueryPredicate.Comparison, _ value: FieldValue?) -> Bool {
    switch comparison {
    case .equal(nil): return value == nil
    case .notEqual(nil): return value != nil
    case .equal(let constant?): return value.map { areEqual($0, constant) } ?? false
    case .notEqual(let constant?): return !(value.map { areEqual($0, constant) } ?? false)
    case .less(let constant): return value.map { ordering($0, constant) < 0 } ?? false
    case .lessOrEqual(let constant): return value.map { ordering($0, constant) <= 0 } ?? false
    case .greater(let constant): return value.map { ordering($0, constant) > 0 } ?? false
    case .greaterOrEqual(let constant): return value.map { ordering($0, constant) >= 0 } ?? false
    case .between(let lower, let upper):
        return value.map { ordering($0, lower) >= 0 && ordering($0, upper) <= 0 } ?? false
    case .beginsWith(let prefix):
        guard case .string(let text)? = value else { return false }
        return Array(text.utf8).starts(with: Array(prefix.utf8))
    case .endsWith(let suffix):
        guard case .string(let text)? = value else { return false }
        return Array(text.utf8).suffix(suffix.utf8.count) == ArraySlice(suffix.utf8)
    case .ignoringCase: preconditionFailure("CaseFoldingTests compare texts whose case is ignored")
    case .contains(let constant): return contains(value, constant)
    case .notContains(let constant): return !contains(value, constant)
    }
}

private func contains(_ value: FieldValue?, _ constant: FieldValue) -> Bool {
    switch (value, constant) {
    case (.string(let text)?, .string(let part)):
        let (text, part) = (Array(text.utf8), Array(part.utf8))
        guard text.count >= part.count else { return false }
        return (0...(text.count - part.count)).contains { Array(text[$0..<($0 + part.count)]) == part }
    case (.list(let elements)?, _): return elements.contains { $0.map { areEqual($0, constant) } ?? false }
    default: return false
    }
}

private func areEqual(_ value: FieldValue, _ constant: FieldValue) -> Bool {
    switch (value, constant) {
    case (.list(let left), .list(let right)):
        left.count == right.count
            && zip(left, right).allSatisfy { left, right in
                if let left, let right { areEqual(left, right) } else { left == nil && right == nil }
            }
    case (.embedded(let left), .embedded(let right)):
        left.count == right.count
            && left.allSatisfy { name, value in right[name].map { areEqual(value, $0) } ?? false }
    default: ordering(value, constant) == 0
    }
}

/// The order of a value and a constant. The constant may be the text of a temporal.
private func ordering(_ value: FieldValue, _ constant: FieldValue) -> Int {
    var constant = constant
    if case .string(let text) = constant {
        switch value {
        case .date: constant = (try? Temporal.Date(text)).map { .date($0) } ?? constant
        case .time: constant = (try? Temporal.Time(text)).map { .time($0) } ?? constant
        case .dateTime: constant = (try? Temporal.DateTime(text)).map { .dateTime($0) } ?? constant
        default: break
        }
    }
    return referenceOrder(value, constant)
}

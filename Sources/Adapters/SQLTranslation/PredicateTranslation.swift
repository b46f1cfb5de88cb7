@_spi(Adapters) package import TidelogCore

/// Translates predicates into conditions for which a database gives exactly the same results as ``RowPredicate``.
struct PredicateTranslation {
    let model: ModelLayout
    /// The group of all IDs in the table. It is `nil` if they are in several groups or if the group is not needed.
    var idGroup: IDKeyGroup?
    /// Whether the database can store and compare texts with U+0000.
    let takesZeroCharacters: Bool

    /// The largest number of values that one predicate may bind, and the largest nesting depth of its condition.
    private static let valueCount = 16_000
    private static let depth = 24

    /// The conditions of `predicate` that the database can check, and whether they are complete. If not, the rows are checked
    /// again.
    func translate(_ predicate: QueryPredicate) -> (conditions: [Condition], isComplete: Bool) {
        let members = predicate.conjuncts
        var conditions: [Condition] = []
        var isComplete = true
        var valueCount = 0
        let pinned = KeyBounds(members, model: model, idGroup: idGroup)
        if let key = pinned.key {
            conditions.append(.key(.equal, key))
        } else {
            if let lower = pinned.lower { conditions.append(.key(.greaterOrEqual, lower)) }
            if let upper = pinned.upper { conditions.append(.key(.less, upper)) }
        }
        for member in members {
            guard let (condition, isWhole) = conjunct(member), condition.depth <= Self.depth else {
                isComplete = false
                continue
            }
            if !isWhole { isComplete = false }
            valueCount += condition.valueCount
            guard valueCount <= Self.valueCount else { return (conditions, false) }
            conditions.append(condition)
        }
        let whole = Condition.all(conditions)
        guard whole.depth <= Self.depth + 16 else { return ([], false) }
        return (conditions, isComplete)
    }

    /// The condition for `predicate` or, if `isNegated`, for its opposite. `nil` if the database cannot check it.
    private func condition(_ predicate: QueryPredicate, isNegated: Bool) -> Condition? {
        switch predicate {
        case .all: return .always(!isNegated)
        case .not(let member): return condition(member, isNegated: !isNegated)
        case .and(let members):
            if !isNegated, let key = KeyBounds(predicate.conjuncts, model: model).key {
                guard let rest = group(members, isNegated) else { return nil }
                return .all([.key(.equal, key)] + rest)
            }
            return group(members, isNegated).map { isNegated ? .any($0) : .all($0) }
        case .or(let members): return group(members, isNegated).map { isNegated ? .all($0) : Alternatives.any($0) }
        case .field(let name, let comparison):
            guard let field = model.row.field(named: name) else { return nil }
            if !isNegated, model.keyFields.count == 1, model.keyFields[0].slot == field.slot,
                case .equal(.some) = comparison, let key = KeyBounds([predicate], model: model).key
            {
                return .key(.equal, key)
            }
            return condition(field, comparison).map { isNegated ? $0.opposite : $0 }
        // This is a condition on an embedded value, whose bytes the database cannot read, or on a part of a value. The engine
        // resolves relations.
        case .related: return nil
        }
    }

    /// The condition for a member of a conjunction, and whether it checks the whole member.
    private func conjunct(_ member: QueryPredicate) -> (condition: Condition, isWhole: Bool)? {
        guard let condition = condition(member, isNegated: false) else { return nil }
        // The database would evaluate all members for each row.
        guard case .any(let members) = condition, members.count > Alternatives.most else { return (condition, true) }
        return Alternatives.narrowed(members).map { ($0, false) }
    }

    private func group(_ members: [QueryPredicate], _ isNegated: Bool) -> [Condition]? {
        var conditions: [Condition] = []
        conditions.reserveCapacity(members.count)
        for member in members {
            guard let condition = condition(member, isNegated: isNegated) else { return nil }
            conditions.append(condition)
        }
        return conditions
    }

    private func condition(_ field: FieldLayout, _ comparison: QueryPredicate.Comparison) -> Condition? {
        switch comparison {
        case .equal(nil): return .missing(field, true)
        case .notEqual(nil): return .missing(field, false)
        case .equal(let value?): return compare(field, .equal, value)
        case .notEqual(let value?): return compare(field, .equal, value)?.opposite
        case .less(let value): return compare(field, .less, value)
        case .lessOrEqual(let value): return compare(field, .lessOrEqual, value)
        case .greater(let value): return compare(field, .greater, value)
        case .greaterOrEqual(let value): return compare(field, .greaterOrEqual, value)
        case .between(let lower, let upper):
            guard let lower = compare(field, .greaterOrEqual, lower), let upper = compare(field, .lessOrEqual, upper)
            else { return nil }
            return .all([lower, upper])
        case .beginsWith(let prefix): return begins(field, Array(prefix.utf8))
        case .contains(.string(let part)) where field.isText: return contains(field, Array(part.utf8))
        case .notContains(.string(let part)) where field.isText:
            return contains(field, Array(part.utf8))?.opposite
        case .endsWith, .ignoringCase, .contains, .notContains: return nil
        }
    }

    private func begins(_ field: FieldLayout, _ prefix: [UInt8]) -> Condition? {
        guard field.isText, isTaken(prefix) else { return nil }
        return prefix.isEmpty ? .missing(field, false) : .begins(field, prefix)
    }

    private func contains(_ field: FieldLayout, _ part: [UInt8]) -> Condition? {
        guard isTaken(part) else { return nil }
        return part.isEmpty ? .missing(field, false) : .contains(field, part)
    }

    private func isTaken(_ utf8: [UInt8]) -> Bool { takesZeroCharacters || !utf8.contains(0) }

    private func compare(_ field: FieldLayout, _ relation: Condition.Relation, _ value: FieldValue) -> Condition? {
        guard let value = QueryPredicate.constant(value, for: field.type, field: field) else { return nil }
        switch (field.kind, value) {
        case (.id, .string(let text)), (.string, .string(let text)), (.enumeration, .string(let text)):
            let utf8 = Array(text.utf8)
            return isTaken(utf8) ? .compare(field, relation, .text(utf8)) : nil
        case (.bool, .bool(let flag)): return .compare(field, relation, .bool(flag))
        case (.int, .int(let number)), (.timestamp, .int(let number)): return .compare(field, relation, .int(number))
        case (.int, .double(let number)), (.timestamp, .double(let number)):
            return ExactComparison.int(field, relation, number)
        case (.double, .double(let number)): return .compare(field, relation, .double(number))
        case (.double, .int(let number)): return ExactComparison.double(field, relation, number)
        case (.date, _), (.time, _), (.dateTime, _):
            guard let instant = value.instant else { return nil }
            return .compare(field, relation, .blob(instant.comparableBytes))
        default: return nil
        }
    }
}

extension FieldLayout {
    fileprivate var isText: Bool { kind == .id || kind == .string || kind == .enumeration }
}

extension Condition {
    var conjuncts: [Condition] {
        if case .all(let members) = self { return members.flatMap(\.conjuncts) }
        return [self]
    }

    /// The opposite, in two-valued logic.
    fileprivate var opposite: Condition {
        switch self {
        case .always(let flag): .always(!flag)
        case .missing(let column, let flag): .missing(column, !flag)
        case .not(let member): member
        case .all(let members): .any(members.map(\.opposite))
        case .any(let members): .all(members.map(\.opposite))
        case .compare, .contains, .begins, .key, .among, .keyAmong: .not(self)
        }
    }
}

extension FieldValue {
    /// The instant of a temporal value.
    package var instant: Temporal.Instant? {
        switch self {
        case .date(let date): date.instant
        case .time(let time): time.instant
        case .dateTime(let dateTime): dateTime.instant
        default: nil
        }
    }
}

extension Temporal.Instant {
    /// The instant as 12 bytes that sort like it.
    package var comparableBytes: [UInt8] {
        let seconds = (UInt64(bitPattern: seconds) ^ (1 << 63)).bigEndian
        let nanoseconds = UInt32(bitPattern: nanoseconds).bigEndian
        return withUnsafeBytes(of: seconds) { Array($0) } + withUnsafeBytes(of: nanoseconds) { Array($0) }
    }
}

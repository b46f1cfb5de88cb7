@_spi(Adapters) internal import TidelogCore

/// Translates predicates into conditions for which SQLite gives exactly the same results as ``RowPredicate``.
struct PredicateTranslation {
    let shape: TableShape
    /// The group of all IDs in the table. It is `nil` if they are in several groups or if the group is not needed.
    var idGroup: IDKeyGroup?

    /// The largest number of values that one predicate may bind, and the largest nesting depth of its condition.
    private static let valueCount = 16_000
    private static let depth = 24

    /// The conditions of `predicate` that SQLite can check, and whether they are complete. If not, the rows are checked again.
    func translate(_ predicate: QueryPredicate) -> (conditions: [Condition], isComplete: Bool) {
        let members = predicate.conjuncts
        var conditions: [Condition] = []
        var isComplete = true
        var valueCount = 0
        let pinned = KeyBounds(members, model: shape.model, idGroup: idGroup)
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

    /// The condition for `predicate` or, if `isNegated`, for its opposite. `nil` if SQLite cannot check it.
    private func condition(_ predicate: QueryPredicate, isNegated: Bool) -> Condition? {
        switch predicate {
        case .all: return .always(!isNegated)
        case .not(let member): return condition(member, isNegated: !isNegated)
        case .and(let members):
            if !isNegated, let key = KeyBounds(predicate.conjuncts, model: shape.model).key {
                guard let rest = group(members, isNegated) else { return nil }
                return .all([.key(.equal, key)] + rest)
            }
            return group(members, isNegated).map { isNegated ? .any($0) : .all($0) }
        case .or(let members): return group(members, isNegated).map { isNegated ? .all($0) : Alternatives.any($0) }
        case .field(let name, let comparison):
            guard let field = shape.model.row.field(named: name) else { return nil }
            if !isNegated, shape.model.keyFields.count == 1, shape.model.keyFields[0].slot == field.slot,
                case .equal(.some) = comparison, let key = KeyBounds([predicate], model: shape.model).key
            {
                return .key(.equal, key)
            }
            return condition(shape.column(of: field), comparison).map { isNegated ? $0.opposite : $0 }
        // This is a condition on an embedded value, whose bytes SQLite cannot read, or on a part of a value. The engine
        // resolves relations.
        case .related: return nil
        }
    }

    /// The condition for a member of a conjunction, and whether it checks the whole member.
    private func conjunct(_ member: QueryPredicate) -> (condition: Condition, isWhole: Bool)? {
        guard let condition = condition(member, isNegated: false) else { return nil }
        // SQLite would evaluate all members for each row.
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

    private func condition(_ column: Column, _ comparison: QueryPredicate.Comparison) -> Condition? {
        switch comparison {
        case .equal(nil): return .missing(column, true)
        case .notEqual(nil): return .missing(column, false)
        case .equal(let value?): return compare(column, .equal, value)
        case .notEqual(let value?): return compare(column, .equal, value)?.opposite
        case .less(let value): return compare(column, .less, value)
        case .lessOrEqual(let value): return compare(column, .lessOrEqual, value)
        case .greater(let value): return compare(column, .greater, value)
        case .greaterOrEqual(let value): return compare(column, .greaterOrEqual, value)
        case .between(let lower, let upper):
            guard let lower = compare(column, .greaterOrEqual, lower), let upper = compare(column, .lessOrEqual, upper)
            else { return nil }
            return .all([lower, upper])
        case .beginsWith(let prefix): return begins(column, Array(prefix.utf8))
        case .contains(.string(let part)) where column.storage == .text: return contains(column, Array(part.utf8))
        case .notContains(.string(let part)) where column.storage == .text:
            return contains(column, Array(part.utf8)).opposite
        case .endsWith, .ignoringCase, .contains, .notContains: return nil
        }
    }

    /// Texts that begin with a prefix. UTF-8 has no byte above F4, so the prefix's last byte can always be increased by one.
    private func begins(_ column: Column, _ prefix: [UInt8]) -> Condition? {
        guard column.storage == .text else { return nil }
        guard let last = prefix.last else { return .missing(column, false) }
        let end = prefix.dropLast() + [last + 1]
        return .all([.compare(column, .greaterOrEqual, .text(prefix)), .compare(column, .less, .text(Array(end)))])
    }

    private func contains(_ column: Column, _ part: [UInt8]) -> Condition {
        part.isEmpty ? .missing(column, false) : .contains(column, part)
    }

    private func compare(_ column: Column, _ relation: Condition.Relation, _ value: FieldValue) -> Condition? {
        guard let value = QueryPredicate.constant(value, for: column.field.type, field: column.field) else {
            return nil
        }
        switch (column.storage, value) {
        case (.text, .string(let text)): return .compare(column, relation, .text(Array(text.utf8)))
        case (.bool, .bool(let flag)): return .compare(column, relation, .int(flag ? 1 : 0))
        case (.int, .int(let number)): return .compare(column, relation, .int(number))
        case (.int, .double(let number)): return ExactComparison.int(column, relation, number)
        case (.double, .double(let number)): return .compare(column, relation, .double(number))
        case (.double, .int(let number)): return ExactComparison.double(column, relation, number)
        case (.temporal, _), (.packedTemporal, _):
            guard let instant = value.instant else { return nil }
            return .compare(column, relation, .blob(instant.comparableBytes))
        default: return nil
        }
    }
}

extension Condition {
    fileprivate var conjuncts: [Condition] {
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
        case .compare, .contains, .key, .among, .keyAmong: .not(self)
        }
    }
}

/// Combines members of an `or`, so that SQLite searches a row's value among many values rather than comparing it with each.
private enum Alternatives {
    /// The number of members below which they are compared one after the other.
    private static let few = 8
    /// The largest number of members, after combining, that SQLite compares one by one. If there are more, SQLite checks a
    /// weaker condition or none, and the rows' own filter checks the rest.
    static let most = 64

    /// The condition that one of `members` holds. Members that compare a column or the key with one value are combined.
    static func any(_ members: [Condition]) -> Condition {
        guard members.count >= few else { return .any(members) }
        var columns: [String: (column: Column, values: [Statement.Value])] = [:]
        var keys: [[UInt8]] = []
        var others: [Condition] = []
        for member in members {
            switch member {
            case .compare(let column, .equal, let value):
                columns[column.field.name, default: (column, [])].values.append(value)
            case .key(.equal, let key): keys.append(key)
            default: others.append(member)
            }
        }
        var found = columns.sorted { $0.key < $1.key }.map { Condition.among($0.value.column, $0.value.values) }
        if !keys.isEmpty { found.append(.keyAmong(keys)) }
        let all = found + others
        return all.count == 1 ? all[0] : .any(all)
    }

    /// A weaker condition that holds if one of `members` holds, or `nil` if there is none.
    ///
    /// It tests a single column, or the key, that all members compare with a value.
    static func narrowed(_ members: [Condition]) -> Condition? {
        var columns: [String: (column: Column, values: Set<Statement.Value>, count: Int)] = [:]
        var keys: [[UInt8]] = []
        var keyCount = 0
        for member in members {
            var seen = Set<String>()
            for part in member.conjuncts {
                switch part {
                case .compare(let column, .equal, let value) where seen.insert(column.field.name).inserted:
                    columns[column.field.name, default: (column, [], 0)].values.insert(value)
                    columns[column.field.name]?.count += 1
                case .among(let column, let values) where seen.insert(column.field.name).inserted:
                    columns[column.field.name, default: (column, [], 0)].values.formUnion(values)
                    columns[column.field.name]?.count += 1
                case .key(.equal, let key) where seen.insert("").inserted:
                    keys.append(key)
                    keyCount += 1
                case .keyAmong(let some) where seen.insert("").inserted:
                    keys += some
                    keyCount += 1
                default: break
                }
            }
        }
        if keyCount == members.count { return .keyAmong(keys) }
        // The column with the most values leaves the fewest rows.
        let best = columns.values.filter { $0.count == members.count }.max {
            ($0.values.count, $1.column.field.name) < ($1.values.count, $0.column.field.name)
        }
        return best.map { .among($0.column, Array($0.values)) }
    }
}

/// Comparisons of a whole number with a floating-point number, turned into comparisons of values of the same type.
///
/// SQLite would round one of them to the other's type when it searches an index.
private enum ExactComparison {
    static func int(_ column: Column, _ relation: Condition.Relation, _ number: Double) -> Condition {
        let isRising = relation == .less || relation == .lessOrEqual
        if number >= 0x1p63 { return isRising ? .missing(column, false) : .always(false) }
        if number < -0x1p63 { return isRising || relation == .equal ? .always(false) : .missing(column, false) }
        let floor = number.rounded(.down)
        let whole = Statement.Value.int(Int64(floor))
        if floor == number { return .compare(column, relation, whole) }
        switch relation {
        case .equal: return .always(false)
        case .less, .lessOrEqual: return .compare(column, .lessOrEqual, whole)
        case .greater, .greaterOrEqual: return .compare(column, .greater, whole)
        }
    }

    static func double(_ column: Column, _ relation: Condition.Relation, _ number: Int64) -> Condition {
        let nearest = Double(number)
        if Int64(exactly: nearest) == number { return .compare(column, relation, .double(nearest)) }
        let isAbove = nearest >= 0x1p63 || Int64(nearest) > number
        switch relation {
        case .equal: return .always(false)
        case .less, .lessOrEqual:
            return .compare(column, .lessOrEqual, .double(isAbove ? nearest.nextDown : nearest))
        case .greater, .greaterOrEqual:
            return .compare(column, .greaterOrEqual, .double(isAbove ? nearest : nearest.nextUp))
        }
    }
}

extension FieldValue {
    fileprivate var instant: Temporal.Instant? {
        switch self {
        case .date(let date): date.instant
        case .time(let time): time.instant
        case .dateTime(let dateTime): dateTime.instant
        default: nil
        }
    }
}

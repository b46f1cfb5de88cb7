@_spi(Adapters) internal import TidelogCore

/// Combines members of an `or`, so that the database searches a row's value among many values rather than comparing it with
/// each.
enum Alternatives {
    /// The number of members below which they are compared one after the other.
    private static let few = 8
    /// The largest number of members, after combining, that the database compares one by one. If there are more, the database
    /// checks a weaker condition or none, and the rows' own filter checks the rest.
    static let most = 64

    /// The condition that one of `members` holds. Members that compare a column or the key with one value are combined.
    static func any(_ members: [Condition]) -> Condition {
        guard members.count >= few else { return .any(members) }
        var columns: [String: (field: FieldLayout, values: [Condition.Value])] = [:]
        var keys: [[UInt8]] = []
        var others: [Condition] = []
        for member in members {
            switch member {
            case .compare(let field, .equal, let value):
                columns[field.name, default: (field, [])].values.append(value)
            case .key(.equal, let key): keys.append(key)
            default: others.append(member)
            }
        }
        var found = columns.sorted { $0.key < $1.key }.map { Condition.among($0.value.field, $0.value.values) }
        if !keys.isEmpty { found.append(.keyAmong(keys)) }
        let all = found + others
        return all.count == 1 ? all[0] : .any(all)
    }

    /// A weaker condition that holds if one of `members` holds, or `nil` if there is none.
    ///
    /// It tests a single column, or the key, that all members compare with a value.
    static func narrowed(_ members: [Condition]) -> Condition? {
        var columns: [String: (field: FieldLayout, values: Set<Condition.Value>, count: Int)] = [:]
        var keys: [[UInt8]] = []
        var keyCount = 0
        for member in members {
            var seen = Set<String>()
            for part in member.conjuncts {
                switch part {
                case .compare(let field, .equal, let value) where seen.insert(field.name).inserted:
                    columns[field.name, default: (field, [], 0)].values.insert(value)
                    columns[field.name]?.count += 1
                case .among(let field, let values) where seen.insert(field.name).inserted:
                    columns[field.name, default: (field, [], 0)].values.formUnion(values)
                    columns[field.name]?.count += 1
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
            ($0.values.count, $1.field.name) < ($1.values.count, $0.field.name)
        }
        return best.map { .among($0.field, Array($0.values)) }
    }
}

@_spi(Adapters) internal import TidelogCore

/// Combines members of an `or`, so that SQLite searches a row's value among many values rather than comparing it with each.
enum Alternatives {
    /// The number of members below which they are compared one after the other.
    private static let few = 8
    /// The largest number of members, after combining, that SQLite compares one by one. If there are more, SQLite checks a
    /// weaker condition or none, and the rows' own filter checks the rest.
    static let most = 64

    /// The condition that one of `members` holds. Members that compare a column or the key with one value are combined.
    static func any(_ members: [Condition]) -> Condition {
        guard members.count >= few else { return .any(members) }
        var columns: [String: (column: Column, values: [SQLValue])] = [:]
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
        var columns: [String: (column: Column, values: Set<SQLValue>, count: Int)] = [:]
        var (keys, keyCount): ([[UInt8]], Int) = ([], 0)
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

extension Condition {
    fileprivate var conjuncts: [Condition] {
        if case .all(let members) = self { return members.flatMap(\.conjuncts) }
        return [self]
    }
}

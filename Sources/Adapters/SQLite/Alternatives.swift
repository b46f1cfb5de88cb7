@_spi(Adapters) internal import TidelogCore

/// Members of an `or` put together, so that SQLite looks a row's value up among many and does not compare it with each.
enum Alternatives {
    /// Fewer are compared one after the other.
    private static let few = 8
    /// More that cannot be put together are left to the rows' own filter.
    static let most = 64

    /// One of `members` holds: those that ask a column, or the key, for one value are put together.
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

    /// What follows where one of `members` holds, said by one column or the key: each of them asks it for one value; `nil`
    /// if there is no such column.
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
        // The one with the most values leaves the fewest rows.
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

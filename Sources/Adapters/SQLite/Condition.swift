/// A value bound to a statement.
enum SQLValue: Hashable {
    case int(Int64)
    case double(Double)
    case text([UInt8])
    case blob([UInt8])
}

/// What SQLite is asked to check on a row: a predicate in which only single comparisons are negated.
///
/// A comparison with a missing value yields NULL, which SQLite takes for false wherever a row is chosen; under `and` and
/// `or` that makes no difference. A negated comparison yields 0 or 1.
indirect enum Condition {
    case always(Bool)
    case missing(Column, Bool)
    case compare(Column, Relation, SQLValue)
    case contains(Column, [UInt8])
    case key(Relation, [UInt8])
    /// The column has one of the values: SQLite sorts them once and looks each row's up.
    case among(Column, [SQLValue])
    /// The key is one of these.
    case keyAmong([[UInt8]])
    /// The opposite of a single comparison.
    case not(Condition)
    case all([Condition])
    case any([Condition])

    enum Relation: String {
        case equal = "="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
    }

    /// How deep parentheses nest: SQLite's parser has a fixed stack.
    var depth: Int {
        switch self {
        case .all(let members), .any(let members):
            let levels = Int.bitWidth - max(members.count - 1, 0).leadingZeroBitCount
            return 1 + levels + (members.map(\.depth).max() ?? 0)
        case .not(let member): return 1 + member.depth
        default: return 1
        }
    }

    /// How many values are bound.
    var valueCount: Int {
        switch self {
        case .always, .missing: 0
        case .compare, .contains, .key: 1
        case .among(_, let values): values.count
        case .keyAmong(let keys): keys.count
        case .not(let member): member.valueCount
        case .all(let members), .any(let members): members.reduce(0) { $0 + $1.valueCount }
        }
    }
}

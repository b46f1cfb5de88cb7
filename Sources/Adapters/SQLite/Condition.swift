/// A condition that SQLite checks for each row. Only single comparisons are negated in it.
///
/// A comparison with a missing value is NULL. SQLite treats that as false when it selects rows, and below `and` and `or` there
/// is no difference. A negated comparison is always 0 or 1.
indirect enum Condition {
    case always(Bool)
    case missing(Column, Bool)
    case compare(Column, Relation, Statement.Value)
    case contains(Column, [UInt8])
    case key(Relation, [UInt8])
    /// The column has one of the values. SQLite sorts the values once and searches them for each row.
    case among(Column, [Statement.Value])
    /// The key is one of these keys.
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

    /// The nesting depth of the parentheses. It is limited, because SQLite's parser has a fixed stack.
    var depth: Int {
        switch self {
        case .all(let members), .any(let members):
            let levels = Int.bitWidth - max(members.count - 1, 0).leadingZeroBitCount
            return 1 + levels + (members.map(\.depth).max() ?? 0)
        case .not(let member): return 1 + member.depth
        default: return 1
        }
    }

    /// The number of values that are bound.
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

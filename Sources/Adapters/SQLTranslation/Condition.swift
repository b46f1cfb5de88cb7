@_spi(Adapters) package import TidelogCore

/// A condition that a database with SQL checks for each row. Only single comparisons are negated in it.
///
/// A comparison with a missing value is NULL. The database treats that as false when it selects rows, and below `and` and `or`
/// there is no difference. A negated comparison is always true or false.
package indirect enum Condition {
    case always(Bool)
    case missing(FieldLayout, Bool)
    case compare(FieldLayout, Relation, Value)
    /// The text of the field contains these bytes, of which there is at least one.
    case contains(FieldLayout, [UInt8])
    /// The text of the field begins with these bytes, of which there is at least one.
    case begins(FieldLayout, [UInt8])
    case key(Relation, [UInt8])
    /// The field has one of the values. The database sorts the values once and searches them for each row.
    case among(FieldLayout, [Value])
    /// The key is one of these keys.
    case keyAmong([[UInt8]])
    /// The opposite of a single comparison.
    case not(Condition)
    case all([Condition])
    case any([Condition])

    /// A value that a statement binds.
    package enum Value: Hashable, Sendable {
        case int(Int64)
        case double(Double)
        case bool(Bool)
        case text([UInt8])
        case blob([UInt8])
    }

    package enum Relation: String, Sendable {
        case equal = "="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
    }

    /// The nesting depth of the parentheses. It is limited, because the parser of a database has a limited stack.
    var depth: Int {
        switch self {
        case .all(let members), .any(let members):
            let levels = Int.bitWidth - max(members.count - 1, 0).leadingZeroBitCount
            return 1 + levels + (members.map(\.depth).max() ?? 0)
        case .not(let member): return 1 + member.depth
        case .begins: return 2
        default: return 1
        }
    }

    /// The number of values that are bound.
    var valueCount: Int {
        switch self {
        case .always, .missing: 0
        case .compare, .contains, .key: 1
        case .begins: 2
        case .among(_, let values): values.count
        case .keyAmong(let keys): keys.count
        case .not(let member): member.valueCount
        case .all(let members), .any(let members): members.reduce(0) { $0 + $1.valueCount }
        }
    }
}

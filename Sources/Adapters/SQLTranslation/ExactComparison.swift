@_spi(Adapters) internal import TidelogCore

/// Comparisons of a whole number with a floating-point number, turned into comparisons of values of the same type.
///
/// A database would round one of them to the other's type when it searches an index.
enum ExactComparison {
    static func int(_ field: FieldLayout, _ relation: Condition.Relation, _ number: Double) -> Condition {
        let isRising = relation == .less || relation == .lessOrEqual
        if number >= 0x1p63 { return isRising ? .missing(field, false) : .always(false) }
        if number < -0x1p63 { return isRising || relation == .equal ? .always(false) : .missing(field, false) }
        let floor = number.rounded(.down)
        let whole = Condition.Value.int(Int64(floor))
        if floor == number { return .compare(field, relation, whole) }
        switch relation {
        case .equal: return .always(false)
        case .less, .lessOrEqual: return .compare(field, .lessOrEqual, whole)
        case .greater, .greaterOrEqual: return .compare(field, .greater, whole)
        }
    }

    static func double(_ field: FieldLayout, _ relation: Condition.Relation, _ number: Int64) -> Condition {
        let nearest = Double(number)
        if Int64(exactly: nearest) == number { return .compare(field, relation, .double(nearest)) }
        let isAbove = nearest >= 0x1p63 || Int64(nearest) > number
        switch relation {
        case .equal: return .always(false)
        case .less, .lessOrEqual:
            return .compare(field, .lessOrEqual, .double(isAbove ? nearest.nextDown : nearest))
        case .greater, .greaterOrEqual:
            return .compare(field, .greaterOrEqual, .double(isAbove ? nearest : nearest.nextUp))
        }
    }
}

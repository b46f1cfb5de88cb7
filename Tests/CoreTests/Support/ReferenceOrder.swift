import TidelogCore

/// The order of two values of ordered types, by invariant 13 of the design: −1, 0 or 1. This reference shares no code
/// with the tested comparisons.
func referenceOrder(_ left: FieldValue, _ right: FieldValue) -> Int {
    switch (left, right) {
    case (.string(let left), .string(let right)): order(Array(left.utf8), Array(right.utf8))
    case (.int(let left), .int(let right)): left < right ? -1 : (left > right ? 1 : 0)
    case (.double(let left), .double(let right)): left < right ? -1 : (left > right ? 1 : 0)
    case (.int(let left), .double(let right)): order(left, right)
    case (.double(let left), .int(let right)): -order(right, left)
    case (.bool(let left), .bool(let right)): left == right ? 0 : (right ? -1 : 1)
    case (.date(let left), .date(let right)): order(left.instant, right.instant)
    case (.time(let left), .time(let right)): order(left.instant, right.instant)
    case (.dateTime(let left), .dateTime(let right)): order(left.instant, right.instant)
    default: preconditionFailure("the values have one ordered type")
    }
}

private func order(_ left: [UInt8], _ right: [UInt8]) -> Int {
    for index in 0..<min(left.count, right.count) where left[index] != right[index] {
        return left[index] < right[index] ? -1 : 1
    }
    return left.count < right.count ? -1 : (left.count > right.count ? 1 : 0)
}

private func order(_ left: Temporal.Instant, _ right: Temporal.Instant) -> Int {
    if left.seconds != right.seconds { return left.seconds < right.seconds ? -1 : 1 }
    return left.nanoseconds < right.nanoseconds ? -1 : (left.nanoseconds > right.nanoseconds ? 1 : 0)
}

/// Compares the number with the whole part of the floating-point number. If that part does not fit in 64 bits, its sign
/// decides.
private func order(_ int: Int64, _ double: Double) -> Int {
    guard let whole = Int64(exactly: double.rounded(.towardZero)) else { return double > 0 ? -1 : 1 }
    if int != whole { return int < whole ? -1 : 1 }
    let rest = double - Double(whole)
    return rest > 0 ? -1 : (rest < 0 ? 1 : 0)
}

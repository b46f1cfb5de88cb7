internal import TidelogCore

extension FieldValue {
    /// Compares this value with `other`: -1 if this value is smaller, 0 if both are equal, 1 if this value is greater; `nil` if
    /// they cannot be compared.
    ///
    /// Numbers are compared exactly, and texts by their UTF-8 bytes. Temporal values are compared by their instants. A temporal
    /// value and a text are compared as texts.
    func order(to other: FieldValue) -> Int? {
        switch (self, other) {
        case (.int(let left), .int(let right)): Self.order(left, right)
        case (.double(let left), .double(let right)): Self.order(left, right)
        case (.int(let left), .double(let right)): self == other ? 0 : Self.order(Double(left), right)
        case (.double(let left), .int(let right)): self == other ? 0 : Self.order(left, Double(right))
        case (.bool(let left), .bool(let right)): Self.order(left ? 1 : 0, right ? 1 : 0)
        case (.date(let left), .date(let right)): Self.order(left.instant, right.instant)
        case (.time(let left), .time(let right)): Self.order(left.instant, right.instant)
        case (.dateTime(let left), .dateTime(let right)): Self.order(left.instant, right.instant)
        default:
            if let left = text, let right = other.text {
                if left.utf8.elementsEqual(right.utf8) {
                    0
                } else {
                    left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1
                }
            } else {
                nil
            }
        }
    }

    private static func order<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
        left == right ? 0 : left < right ? -1 : 1
    }
}

internal import TidelogCore

extension FieldValue {
    /// Whether this value comes before, with or after `other`: -1, 0 or 1; `nil` if they cannot be compared.
    ///
    /// Numbers compare exactly, texts by their UTF-8 bytes, temporals by instant and with a text by theirs.
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

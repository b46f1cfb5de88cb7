extension QueryPredicate.Comparison {
    /// Whether both are the same comparison with equal values. Texts are compared by their UTF-8 bytes.
    public static func == (left: Self, right: Self) -> Bool {
        let (left, right) = (left.parts, right.parts)
        return left.kind == right.kind && left.first == right.first && left.second == right.second
    }

    /// Hashes the parts that equality compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(parts.kind)
        hasher.combine(parts.first)
        hasher.combine(parts.second)
    }

    /// The comparison as values whose equality is the right one.
    private var parts: (kind: UInt8, first: FieldValue?, second: FieldValue?) {
        switch self {
        case .equal(let value): (0, value, nil)
        case .notEqual(let value): (1, value, nil)
        case .less(let value): (2, value, nil)
        case .lessOrEqual(let value): (3, value, nil)
        case .greater(let value): (4, value, nil)
        case .greaterOrEqual(let value): (5, value, nil)
        case .between(let lower, let upper): (6, lower, upper)
        case .beginsWith(let prefix): (7, .string(prefix), nil)
        case .contains(let value): (8, value, nil)
        case .notContains(let value): (9, value, nil)
        case .endsWith(let suffix): (10, .string(suffix), nil)
        case .ignoringCase(let comparison, let text): (11, .string(comparison.rawValue), .string(text))
        }
    }
}

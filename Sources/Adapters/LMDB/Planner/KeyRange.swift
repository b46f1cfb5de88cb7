@_spi(Adapters) internal import TidelogCore

/// A range of keys, or of the bytes of one component, from `lower` up to, but not including, `upper`.
struct KeyRange: Hashable, Sendable {
    var lower: [UInt8]
    var upper: [UInt8]

    /// A byte with which no component begins. It sorts after all components with the same bytes before it.
    static let end: UInt8 = 0xFF
    /// A byte that sorts after the component of a missing value and before all other components.
    private static let afterMissing: UInt8 = 0x02

    /// All keys.
    static let all = KeyRange(lower: [], upper: [end])
    /// No keys.
    static let none = KeyRange(lower: [end], upper: [end])
    /// All values except the missing value.
    static let present = KeyRange(lower: [afterMissing], upper: [end])

    var isEmpty: Bool { !lower.lexicographicallyPrecedes(upper) }

    /// The keys in both ranges.
    func intersection(_ other: KeyRange) -> KeyRange {
        KeyRange(
            lower: lower.lexicographicallyPrecedes(other.lower) ? other.lower : lower,
            upper: other.upper.lexicographicallyPrecedes(upper) ? other.upper : upper)
    }

    /// The range with only the encoded `component`.
    static func only(_ component: [UInt8]) -> KeyRange { KeyRange(lower: component, upper: component + [end]) }

    /// The components of present values that have the `relation` to `component`.
    static func values(_ relation: ValueRange.Relation, _ component: [UInt8]) -> KeyRange {
        switch relation {
        case .equal: only(component)
        case .less: KeyRange(lower: [afterMissing], upper: component)
        case .lessOrEqual: KeyRange(lower: [afterMissing], upper: component + [end])
        case .greater: KeyRange(lower: component + [end], upper: [end])
        case .greaterOrEqual: KeyRange(lower: component, upper: [end])
        }
    }

    /// The keys that begin with `prefix` and continue with a component in this range.
    func prefixed(with prefix: [UInt8]) -> KeyRange { KeyRange(lower: prefix + lower, upper: prefix + upper) }

    /// A range that contains all of these keys and has bounds that are not longer than a cut key, and whether it is the same
    /// range.
    var shortened: (range: KeyRange, isExact: Bool) {
        let limit = IndexKey.keptByteCount
        guard lower.count > limit || upper.count > limit else { return (self, true) }
        let shortUpper = upper.count > limit ? Self.successor(ofPrefix: Array(upper.prefix(limit))) : upper
        return (KeyRange(lower: Array(lower.prefix(limit)), upper: shortUpper), false)
    }

    /// The first bytes after all bytes that begin with `prefix`.
    static func successor(ofPrefix prefix: [UInt8]) -> [UInt8] {
        var bytes = prefix
        while let last = bytes.popLast() {
            if last < 0xFF { return bytes + [last + 1] }
        }
        return [end, end]
    }
}

@_spi(Adapters) internal import TidelogCore

/// Keys, or the bytes of one component, from `lower` up to but without `upper`.
struct KeyRange: Hashable, Sendable {
    var lower: [UInt8]
    var upper: [UInt8]

    /// What no component begins with: comes after all that begin with the same bytes.
    static let end: UInt8 = 0xFF
    /// Comes after the component of a missing value and before every other.
    private static let afterMissing: UInt8 = 0x02

    /// Everything.
    static let all = KeyRange(lower: [], upper: [end])
    /// Nothing.
    static let none = KeyRange(lower: [end], upper: [end])
    /// All values but the missing one.
    static let present = KeyRange(lower: [afterMissing], upper: [end])

    var isEmpty: Bool { !lower.lexicographicallyPrecedes(upper) }

    /// The part that both ranges have.
    func intersection(_ other: KeyRange) -> KeyRange {
        KeyRange(
            lower: lower.lexicographicallyPrecedes(other.lower) ? other.lower : lower,
            upper: other.upper.lexicographicallyPrecedes(upper) ? other.upper : upper)
    }

    /// Exactly the component whose encoding `component` is.
    static func only(_ component: [UInt8]) -> KeyRange { KeyRange(lower: component, upper: component + [end]) }

    /// The components of present values that compare so with `component`.
    static func values(_ relation: ValueRange.Relation, _ component: [UInt8]) -> KeyRange {
        switch relation {
        case .equal: only(component)
        case .less: KeyRange(lower: [afterMissing], upper: component)
        case .lessOrEqual: KeyRange(lower: [afterMissing], upper: component + [end])
        case .greater: KeyRange(lower: component + [end], upper: [end])
        case .greaterOrEqual: KeyRange(lower: component, upper: [end])
        }
    }

    /// The keys that begin with `prefix` and go on with a component in this range.
    func prefixed(with prefix: [UInt8]) -> KeyRange { KeyRange(lower: prefix + lower, upper: prefix + upper) }

    /// A range of at least the same keys whose bounds have at most as many bytes as cutting keeps, and whether it is
    /// the same range.
    var shortened: (range: KeyRange, isExact: Bool) {
        let limit = IndexKey.keptByteCount
        guard lower.count > limit || upper.count > limit else { return (self, true) }
        let shortUpper = upper.count > limit ? Self.successor(ofPrefix: Array(upper.prefix(limit))) : upper
        return (KeyRange(lower: Array(lower.prefix(limit)), upper: shortUpper), false)
    }

    /// What comes after all that begins with `prefix`.
    static func successor(ofPrefix prefix: [UInt8]) -> [UInt8] {
        var bytes = prefix
        while let last = bytes.popLast() {
            if last < 0xFF { return bytes + [last + 1] }
        }
        return [end, end]
    }
}

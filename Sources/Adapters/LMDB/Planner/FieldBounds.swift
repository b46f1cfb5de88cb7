@_spi(Adapters) internal import TidelogCore

/// The bounds that all conjuncts of a predicate together set for one field.
struct FieldBounds {
    let field: FieldLayout
    /// The encoded values for which all of these conjuncts hold.
    private(set) var range = KeyRange.all
    /// The only value that matches all of these conjuncts, if there is only one. The inner `nil` is a missing value.
    private(set) var only: FieldValue??
    /// The numbers of these conjuncts.
    private(set) var conjuncts: Set<Int> = []
    private(set) var hasLower = false
    private(set) var hasUpper = false

    init(_ field: FieldLayout) { self.field = field }

    /// Adds conjunct number `index`. Returns false if bounds cannot express it.
    mutating func add(_ comparison: QueryPredicate.Comparison, index: Int) -> Bool {
        guard let added = ValueRange.range(of: field, comparison) else { return false }
        range = range.intersection(added)
        conjuncts.insert(index)
        switch comparison {
        case .equal(let value): only = .some(value)
        case .less, .lessOrEqual: hasUpper = true
        case .greater, .greaterOrEqual, .notEqual: hasLower = true
        default: (hasLower, hasUpper) = (true, true)
        }
        return true
    }

    /// The only component that matches, in an index key or, if `inPrimaryKey`, in a primary key.
    func pinned(inPrimaryKey: Bool) -> [UInt8]? {
        guard case .some(let value) = only else { return nil }
        if inPrimaryKey, case .id = field.type, case .string(let text)? = value { return ValueRange.encoded(id: text) }
        return range.lower
    }

    /// The number of sides with a bound: 0, 1 or 2.
    var sides: Int { (hasLower ? 1 : 0) + (hasUpper ? 1 : 0) }
}

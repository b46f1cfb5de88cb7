@_spi(Adapters) internal import TidelogCore

/// What a predicate's conjuncts say together about one field.
struct FieldBounds {
    let field: FieldLayout
    /// The encoded values for which all of them hold.
    private(set) var range = KeyRange.all
    /// Whether they let only one value pass, and which: `nil` for a missing one.
    private(set) var only: FieldValue??
    /// Which conjuncts they are.
    private(set) var conjuncts: Set<Int> = []
    private(set) var hasLower = false
    private(set) var hasUpper = false

    init(_ field: FieldLayout) { self.field = field }

    /// Takes in conjunct number `index`; answers false if it is not one that bounds can express.
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

    /// The one component that passes, in an index key or, if `inPrimaryKey`, a primary key.
    func pinned(inPrimaryKey: Bool) -> [UInt8]? {
        guard case .some(let value) = only else { return nil }
        if inPrimaryKey, case .id = field.type, case .string(let text)? = value { return ValueRange.encoded(id: text) }
        return range.lower
    }

    /// 0 for no bounds, 1 for bounds on one side, 2 for both.
    var sides: Int { (hasLower ? 1 : 0) + (hasUpper ? 1 : 0) }
}

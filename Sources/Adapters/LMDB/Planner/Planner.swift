@_spi(Adapters) internal import TidelogCore

/// Chooses how to find a query's rows. It is a pure function: the same query and indexes give the same plan.
///
/// Each possible plan has a worth. It is the sum of 4 for each field that equality pins, 2 for a range with two ends or 1 for a
/// range with one end, and a value for the right order. The right order is worth 3 if a limit lets the scan stop early,
/// otherwise 1. For the table, the order is always worth 1, because it does not narrow the rows.
///
/// An index without a pinned field, a range with two ends or the right order is not better than a scan, so it is not used. An
/// index that has only the order is also not used if a predicate excludes rows and no limit stops the scan early, because
/// fetching rows one by one costs more than sorting the remaining rows.
///
/// The plan with the highest worth wins. Among equals, the table comes first, then the index that was declared first. If no
/// single range narrows the rows much, but each alternative of an `or` has a range, the ranges of these alternatives are read.
struct Planner {
    /// The purpose of a plan.
    enum Purpose {
        /// Reading rows in order.
        case rows
        /// Only counting rows.
        case count
    }

    let query: StorageQuery
    let conjuncts: [QueryPredicate]
    let indexes: [IndexLayout]
    /// The group of all IDs in the table. It is `nil` if they are in several groups or if the group is not needed.
    let idGroup: IDKeyGroup?
    private let model: ModelLayout
    private let purpose: Purpose
    private let bounds: [Int: FieldBounds]
    private let sort: [(slot: Int, isDescending: Bool)]

    /// A planner for `query` with only the indexes for which `isUsable` returns true.
    init(_ query: StorageQuery, for purpose: Purpose, idGroup: IDKeyGroup? = nil, isUsable: (IndexLayout) -> Bool) {
        let conjuncts = query.predicate.conjuncts
        let needsIndexes = !query.sort.isEmpty || conjuncts.contains { $0 != .all }
        self.init(
            query, satisfying: conjuncts, for: purpose,
            indexes: needsIndexes ? query.model.indexes.filter(isUsable) : [], idGroup: idGroup)
    }

    /// A planner for the rows of `query` that satisfy `conjuncts`, in any order.
    init(
        _ query: StorageQuery, satisfying conjuncts: [QueryPredicate], indexes: [IndexLayout], idGroup: IDKeyGroup?
    ) {
        self.init(query, satisfying: conjuncts, for: .rows, indexes: indexes, idGroup: idGroup, isOrdered: false)
    }

    private init(
        _ query: StorageQuery, satisfying conjuncts: [QueryPredicate], for purpose: Purpose, indexes: [IndexLayout],
        idGroup: IDKeyGroup?, isOrdered: Bool = true
    ) {
        self.query = query
        self.conjuncts = conjuncts
        self.purpose = purpose
        self.indexes = indexes
        self.idGroup = idGroup
        model = query.model
        var bounds: [Int: FieldBounds] = [:]
        for (index, conjunct) in conjuncts.enumerated() {
            guard case .field(let name, let comparison) = conjunct, let field = model.row.field(named: name) else {
                continue
            }
            var known = bounds[field.slot] ?? FieldBounds(field)
            if known.add(comparison, index: index) { bounds[field.slot] = known }
        }
        self.bounds = bounds
        sort = purpose == .count || !isOrdered ? [] : Self.essential(query.sort, bounds)
    }

    /// The sort without repeated fields and without fields that have the same value in all rows.
    private static func essential(
        _ sort: [(field: FieldLayout, isDescending: Bool)], _ bounds: [Int: FieldBounds]
    ) -> [(slot: Int, isDescending: Bool)] {
        var seen = Set<Int>()
        return sort.compactMap { field, isDescending in
            guard bounds[field.slot]?.only == nil, seen.insert(field.slot).inserted else { return nil }
            return (field.slot, isDescending)
        }
    }

    /// The best plan.
    func plan() -> AccessPlan {
        let (plan, isSelective) = singlePlan()
        return isSelective ? plan : alternatives() ?? plan
    }

    /// The best plan that reads a single range of keys, and whether equality or a range with two ends bounds it.
    func singlePlan() -> (plan: AccessPlan, isSelective: Bool) {
        if bounds.values.contains(where: { $0.range.isEmpty }) { return (AccessPlan(access: .nothing), true) }
        var best = candidate(model.keyFields, isTable: true, access: .table)
        if best.prefix.pinnedCount == model.keyFields.count { return (keyPlan(best), true) }
        for index in indexes where !bounds.isEmpty || !sort.isEmpty {
            let next = candidate(index.fields, isTable: false, access: .index(index.number))
            if let worth = next.worth, worth > best.worth ?? 0 { best = next }
        }
        return (best.plan, best.prefix.pinnedCount > 0 || best.prefix.sides == 2)
    }

    private func keyPlan(_ best: Candidate) -> AccessPlan {
        var plan = best.plan
        let key = best.prefix.range.lower
        plan.access = key.count <= Limits.keyByteCount ? .key(key) : .nothing
        plan.isDescending = false
        plan.matchesOrder = true
        return plan
    }

    private struct Candidate {
        var plan: AccessPlan
        let prefix: Prefix
        /// The worth, or `nil` if the plan is not better than a scan.
        let worth: Int?
    }

    /// The bounds for the first fields of keys.
    private struct Prefix {
        var range = KeyRange.all
        var pinnedCount = 0
        /// The number of ends of the range of the field after the pinned fields.
        var sides = 0
        var conjuncts: Set<Int> = []
    }

    private func candidate(_ fields: [FieldLayout], isTable: Bool, access: AccessPlan.Access) -> Candidate {
        let prefix = prefix(of: fields, isTable: isTable)
        let (range, isExact) =
            isTable && prefix.pinnedCount == fields.count ? (prefix.range, true) : prefix.range.shortened
        let order = order(of: fields, isTable: isTable)
        let plan = AccessPlan(
            access: access, range: afterKey(range, fields, prefix, isTable: isTable),
            isDescending: order?.isDescending ?? false,
            groupComponentCount: isTable ? order?.componentCount ?? 0 : fields.count, matchesOrder: order != nil,
            provesPredicate: isExact && prefix.conjuncts.count == conjuncts.count, conjuncts: prefix.conjuncts)
        return Candidate(plan: plan, prefix: prefix, worth: worth(plan, prefix, isTable: isTable))
    }

    private func prefix(of fields: [FieldLayout], isTable: Bool) -> Prefix {
        var prefix = Prefix()
        var pinned: [UInt8] = []
        for (place, field) in fields.enumerated() {
            guard let bounds = bounds[field.slot] else { break }
            if let component = bounds.pinned(inPrimaryKey: isTable) {
                pinned += component
                prefix.pinnedCount += 1
                prefix.conjuncts.formUnion(bounds.conjuncts)
                continue
            }
            var range = bounds.range
            if isTable, field.kind == .id {
                guard place == 0, let ids = idRange(bounds) else { break }
                range = ids
            }
            prefix.sides = bounds.sides
            prefix.conjuncts.formUnion(bounds.conjuncts)
            prefix.range = range
            break
        }
        prefix.range = prefix.range.prefixed(with: pinned)
        return prefix
    }

    /// The primary keys whose first field, an ID, is in `bounds`. `nil` if the table's IDs are in several groups.
    private func idRange(_ bounds: FieldBounds) -> KeyRange? {
        guard let idGroup else { return nil }
        var range = KeyRange.all
        for index in bounds.conjuncts {
            guard case .field(_, let comparison) = conjuncts[index], let keys = idGroup.keys(comparison) else {
                return nil
            }
            range = range.intersection(KeyRange(lower: keys.lower, upper: keys.upper))
        }
        return range
    }

    /// Whether the ID `field`, number `place` of the primary key's fields, is sorted by its text.
    private func isInTextOrder(_ field: FieldLayout, at place: Int) -> Bool {
        field.kind != .id || place == 0 && idGroup != nil
    }

    /// Makes the range begin after the query's key, if the keys are in the order of primary keys.
    private func afterKey(_ range: KeyRange, _ fields: [FieldLayout], _ prefix: Prefix, isTable: Bool) -> KeyRange {
        guard let afterKey = query.afterKey, isTable || prefix.pinnedCount == fields.count else { return range }
        // In an index, the pinned fields come first. A long bound would have to be shortened, so it is not used.
        let lower = (isTable ? [] : prefix.range.lower) + afterKey + [0]
        guard isTable || lower.count <= IndexKey.keptByteCount else { return range }
        return KeyRange(lower: range.lower.lexicographicallyPrecedes(lower) ? lower : range.lower, upper: range.upper)
    }

    private func worth(_ plan: AccessPlan, _ prefix: Prefix, isTable: Bool) -> Int? {
        var worth = 4 * prefix.pinnedCount + prefix.sides
        if purpose == .count {
            // If the entries prove the predicate, they are counted without reading the rows.
            if !isTable, plan.provesPredicate { return worth > 0 ? worth + 2 : nil }
            return isTable || prefix.pinnedCount > 0 || prefix.sides == 2 ? worth : nil
        }
        let hasOnlyOrder = !isTable && prefix.pinnedCount == 0 && prefix.sides == 0
        if hasOnlyOrder, !conjuncts.isEmpty, query.page.limit == nil { return nil }
        if plan.matchesOrder { worth += !isTable && query.page.limit != nil ? 3 : 1 }
        return isTable || prefix.pinnedCount > 0 || prefix.sides == 2 || plan.matchesOrder ? worth : nil
    }
}

extension Planner {
    private struct Order {
        var isDescending: Bool
        /// The number of components of the key that define the order.
        var componentCount: Int
    }

    /// The direction in which keys of `fields` have the query's order, or `nil` if they do not have it.
    private func order(of fields: [FieldLayout], isTable: Bool) -> Order? {
        var order = Order(isDescending: false, componentCount: 0)
        var position = 0
        for (offset, field) in fields.enumerated() where bounds[field.slot]?.only == nil {
            guard position < sort.count else {
                // All sorted fields are matched. Only in the table can further fields of the primary key decide.
                return isTable ? order : nil
            }
            guard sort[position].slot == field.slot else { return nil }
            if isTable, !isInTextOrder(field, at: offset) { return nil }
            if position > 0, sort[position].isDescending != order.isDescending { return nil }
            order.isDescending = sort[position].isDescending
            position += 1
            order.componentCount = offset + 1
        }
        return isTable || position == sort.count || followsKey(sort[position...]) ? order : nil
    }

    /// Whether the order of `rest` is that of the primary key, which is at the end of every key.
    private func followsKey(_ rest: ArraySlice<(slot: Int, isDescending: Bool)>) -> Bool {
        let fields = model.keyFields.enumerated().filter { bounds[$0.element.slot]?.only == nil }
        guard rest.count <= fields.count else { return false }
        return zip(rest, fields).allSatisfy { key, field in
            isInTextOrder(field.element, at: field.offset) && key.slot == field.element.slot && !key.isDescending
        }
    }
}

/// The bounds that all conjuncts of a predicate together set for one field.
private struct FieldBounds {
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
        default:
            hasLower = true
            hasUpper = true
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

@_spi(Adapters) internal import TidelogCore

/// Chooses how to find a query's rows. Pure: the same query and indexes give the same plan.
///
/// A plan's worth is 4 for each field that equality pins, 2 for a range with two ends, 1 for one with one end, and 3 for
/// the right order where a limit lets a scan stop early, else 1. A table's own order is worth 1 either way, since it
/// says nothing about where the rows are. An index that has neither a pinned field, nor a range with two ends, nor the
/// order, is no better than a scan and not used; nor is one that has only the order, if a predicate leaves rows out and
/// nothing stops the scan early: fetching row by row costs more than sorting what is left. The best wins; of equals the
/// table, then the index declared first. If no single range says much, but each alternative of an `or` has one, those
/// are gone through.
struct Planner {
    /// What the plan is for.
    enum Purpose {
        /// Rows in order.
        case rows
        /// Only how many there are.
        case count
    }

    let query: StorageQuery
    let conjuncts: [QueryPredicate]
    let indexes: [IndexLayout]
    /// The group that the table's IDs are all of; `nil` if they are of several, or if it does not matter.
    let idGroup: IDKeyGroup?
    private let model: ModelLayout
    private let purpose: Purpose
    private let bounds: [Int: FieldBounds]
    private let sort: [(slot: Int, isDescending: Bool)]

    /// A planner for `query` that uses the indexes `isUsable` says.
    init(
        _ query: StorageQuery, for purpose: Purpose, idGroup: IDKeyGroup? = nil, isUsable: (IndexLayout) -> Bool
    ) {
        let conjuncts = query.predicate.conjuncts
        let needsIndexes = !query.sort.isEmpty || conjuncts.contains { $0 != .all }
        self.init(query, conjuncts, for: purpose, needsIndexes ? query.model.indexes.filter(isUsable) : [], idGroup)
    }

    /// A planner for the rows of `query` that satisfy `conjuncts`, in any order.
    init(
        _ query: StorageQuery, satisfying conjuncts: [QueryPredicate], _ indexes: [IndexLayout], _ idGroup: IDKeyGroup?
    ) {
        self.init(query, conjuncts, for: .rows, indexes, idGroup, isOrdered: false)
    }

    private init(
        _ query: StorageQuery, _ conjuncts: [QueryPredicate], for purpose: Purpose, _ indexes: [IndexLayout],
        _ idGroup: IDKeyGroup?, isOrdered: Bool = true
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

    /// The sort without fields that are the same in all rows or came before.
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

    /// The best plan that goes through one range of keys, and whether equality or both ends bound it.
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
        /// `nil` if it is no better than a scan.
        let worth: Int?
    }

    /// What the bounds say about the leading fields of keys.
    private struct Prefix {
        var range = KeyRange.all
        var pinnedCount = 0
        /// The number of ends of the range after the pinned fields.
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

    /// The primary keys whose first field, an ID, is in `bounds`; `nil` if the table's IDs are of several groups.
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

    /// Whether the ID `field`, number `place` of a primary key's fields, stands in the order of its texts.
    private func isInTextOrder(_ field: FieldLayout, at place: Int) -> Bool {
        field.kind != .id || place == 0 && idGroup != nil
    }

    /// Goes on after the key that the query names, where keys come in the order of primary keys.
    private func afterKey(_ range: KeyRange, _ fields: [FieldLayout], _ prefix: Prefix, isTable: Bool) -> KeyRange {
        guard let afterKey = query.afterKey, isTable || prefix.pinnedCount == fields.count else { return range }
        // In an index the pinned fields come first; a long bound would have to be shortened.
        let lower = (isTable ? [] : prefix.range.lower) + afterKey + [0]
        guard isTable || lower.count <= IndexKey.keptByteCount else { return range }
        return KeyRange(lower: range.lower.lexicographicallyPrecedes(lower) ? lower : range.lower, upper: range.upper)
    }

    private func worth(_ plan: AccessPlan, _ prefix: Prefix, isTable: Bool) -> Int? {
        var worth = 4 * prefix.pinnedCount + prefix.sides
        if purpose == .count {
            // Entries that prove the predicate are counted without a look at the rows.
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
        /// How many components of the key the order goes by.
        var componentCount: Int
    }

    /// How going through keys of `fields` gives the query's order, `nil` if it does not.
    private func order(of fields: [FieldLayout], isTable: Bool) -> Order? {
        var order = Order(isDescending: false, componentCount: 0)
        var position = 0
        for (offset, field) in fields.enumerated() where bounds[field.slot]?.only == nil {
            guard position < sort.count else {
                // Fields beyond those sorted by: only the primary key's own may still decide.
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

    /// Whether `rest` is what the primary key, which comes last in every key, orders by anyway.
    private func followsKey(_ rest: ArraySlice<(slot: Int, isDescending: Bool)>) -> Bool {
        let fields = model.keyFields.enumerated().filter { bounds[$0.element.slot]?.only == nil }
        guard rest.count <= fields.count else { return false }
        return zip(rest, fields).allSatisfy { key, field in
            isInTextOrder(field.element, at: field.offset) && key.slot == field.element.slot && !key.isDescending
        }
    }
}

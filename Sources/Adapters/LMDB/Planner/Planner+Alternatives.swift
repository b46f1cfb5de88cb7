@_spi(Adapters) internal import TidelogCore

extension Planner {
    /// The largest number of alternatives. With more, a scan is not worse, because each row is compared with all of them at
    /// once.
    static let mostAlternatives = 4_096

    /// A plan with the alternatives of a required `or`, or `nil` if one of the alternatives does not narrow the range enough.
    func alternatives() -> AccessPlan? {
        for (index, conjunct) in conjuncts.enumerated() {
            guard case .or = conjunct, let members = conjunct.distinctDisjuncts(atMost: Self.mostAlternatives) else {
                continue
            }
            let others = conjuncts.enumerated().filter { $0.offset != index }.map(\.element)
            if let alternatives = plans(members, others) { return AccessPlan(alternatives) }
        }
        return nil
    }

    private func plans(_ members: [QueryPredicate], _ others: [QueryPredicate]) -> [AccessPlan]? {
        var alternatives: [AccessPlan] = []
        for member in members {
            let planner = Planner(query, satisfying: member.conjuncts + others, indexes: indexes, idGroup: idGroup)
            var (plan, isSelective) = planner.singlePlan()
            guard isSelective else { return nil }
            plan.provesPredicate = false
            if plan.access != .nothing { alternatives.append(plan) }
        }
        return alternatives
    }
}

extension AccessPlan {
    /// The rows that all `alternatives` find, in no particular order.
    fileprivate init(_ alternatives: [AccessPlan]) {
        guard !alternatives.isEmpty else {
            self.init(access: .nothing)
            return
        }
        let sorted = alternatives.sorted { $0.start.lexicographicallyPrecedes($1.start) }
        let areDisjoint = zip(sorted, sorted.dropFirst()).allSatisfy { $0.isBefore($1) }
        self.init(access: .alternatives(sorted, areDisjoint: areDisjoint))
        matchesOrder = false
    }

    /// The first key that this plan may find.
    private var start: [UInt8] {
        if case .key(let key) = access { key } else { range.lower }
    }

    /// Whether all keys of this plan come before all keys of `other`, in the same table or index.
    private func isBefore(_ other: AccessPlan) -> Bool {
        switch (access, other.access) {
        case (.key(let key), .key(let otherKey)): key != otherKey
        case (.table, .table): !other.range.lower.lexicographicallyPrecedes(range.upper)
        case (.index(let index), .index(let otherIndex)):
            index == otherIndex && !other.range.lower.lexicographicallyPrecedes(range.upper)
        default: false
        }
    }
}

extension QueryPredicate {
    /// The distinct members of an `or`, including the members of nested `or`s, or `nil` if there are more than `limit`.
    fileprivate func distinctDisjuncts(atMost limit: Int) -> [QueryPredicate]? {
        var members: [QueryPredicate] = []
        var seen = Set<QueryPredicate>()
        var waiting = [self]
        while let next = waiting.popLast() {
            if case .or(let inner) = next {
                waiting += inner.reversed()
            } else if seen.insert(next).inserted {
                members.append(next)
            }
            guard members.count <= limit else { return nil }
        }
        return members
    }
}

extension StoreTransaction {
    /// Stages the deletion of the records of `model` under `keys`, after those of everything that belongs to them: records
    /// whose key fields refer to them, found by `@hasMany` and `@hasOne`, and records that join them with others; and of
    /// what belongs to these in turn.
    ///
    /// One event for each record. What belongs to a record comes before it.
    ///
    /// - Parameter sections: What the event of a record under `keys` says besides.
    func stageDeletes(
        of model: ModelLayout, under keys: [[UInt8]], cascading: Bool, sections: EventSections? = nil
    ) throws {
        guard cascading, !layout.relations.cascading(from: model).isEmpty else {
            for key in keys { try key.withUnsafeBytes { try stageDeletion($0, model, sections) } }
            return
        }
        try flush()
        var walk = CascadeWalk(rows: try rows.writing(), relations: layout.relations)
        let limit = remainingEventCount
        for key in keys {
            guard try walk.visit(CascadedRecord(model: model, key: key), while: { $0.foundCount <= limit }) else {
                throw tooLarge()
            }
        }
        try stageDeletions(walk.order, roots: model, keys, sections)
    }

    /// Stages deletions of the records of `model` under `keys`, which are there, after those of what belongs to them, as
    /// many as the commit may still hold. A record comes with all that belongs to it, unless that alone is too much: then as
    /// much of that as fits, and the record in a later commit.
    ///
    /// - Returns: how many of `keys` are done.
    func stageSomeDeletes(
        of model: ModelLayout, under keys: ArraySlice<[UInt8]>, cascading: Bool, sections: EventSections? = nil
    ) throws -> Int {
        let limit = remainingDeletionCount(sections)
        guard cascading, !layout.relations.cascading(from: model).isEmpty else {
            let some = keys.prefix(limit)
            for key in some { try key.withUnsafeBytes { try stageDeletion($0, model, sections) } }
            return some.count
        }
        try flush()
        var walk = CascadeWalk(rows: try rows.writing(), relations: layout.relations)
        var (doneCount, wholeCount) = (0, 0)
        for key in keys where walk.order.count < limit {
            let record = CascadedRecord(model: model, key: key)
            guard try walk.visit(record, while: { $0.order.count < limit }) else { break }
            doneCount += 1
            wholeCount = walk.order.count
        }
        let some = doneCount > 0 ? walk.order[..<wholeCount] : walk.order[...]
        // A record that is still to come may belong to one of these and go with it: its event says the same.
        try stageDeletions(some, roots: model, keys, sections)
        return doneCount
    }

    private func stageDeletions(
        _ records: some Sequence<CascadedRecord>, roots model: ModelLayout, _ keys: some Sequence<[UInt8]>,
        _ sections: EventSections?
    ) throws {
        let roots = sections == nil ? [] : Set(keys)
        for record in records {
            let isRoot = record.model.number == model.number && roots.contains(record.key)
            try record.key.withUnsafeBytes { try stageDeletion($0, record.model, isRoot ? sections : nil) }
        }
    }
}

/// A record that is deleted with another.
private struct CascadedRecord: Hashable {
    let model: ModelLayout
    let key: [UInt8]

    static func == (left: Self, right: Self) -> Bool {
        left.model.number == right.model.number && left.key == right.key
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(model.number)
        hasher.combine(key)
    }
}

/// Walks from records to everything that belongs to them, depth first. Each record is met once, so circles end.
private struct CascadeWalk {
    let rows: any AdapterTransaction
    let relations: RelationLayouts
    /// The records that are done, each after all that belong to it; in a circle some come before.
    private(set) var order: [CascadedRecord] = []
    private var seen: Set<CascadedRecord> = []

    init(rows: any AdapterTransaction, relations: RelationLayouts) {
        self.rows = rows
        self.relations = relations
    }

    /// How many records were found, those among them of which not all that belongs to them is known.
    var foundCount: Int { seen.count }

    private struct Step {
        let record: CascadedRecord
        /// What belongs to it and is still to be visited.
        var dependents: [CascadedRecord]
    }

    /// Walks from `root`, while `goesOn` allows; returns whether the walk came to its end.
    mutating func visit(_ root: CascadedRecord, while goesOn: (CascadeWalk) -> Bool) throws -> Bool {
        guard seen.insert(root).inserted else { return true }
        // A list of its own in place of recursion: chains may be as long as a commit.
        var steps = [Step(record: root, dependents: try dependents(of: root))]
        while let last = steps.indices.last {
            guard goesOn(self) else { return false }
            guard let next = steps[last].dependents.popLast() else {
                order.append(steps.removeLast().record)
                continue
            }
            guard seen.insert(next).inserted else { continue }
            steps.append(Step(record: next, dependents: try dependents(of: next)))
        }
        return true
    }

    /// The records that belong to `record`, the last first.
    private func dependents(of record: CascadedRecord) throws -> [CascadedRecord] {
        let relations = relations.cascading(from: record.model)
        guard !relations.isEmpty else { return [] }
        let queries: [StorageQuery] = try record.key.withUnsafeBytes { key in
            guard let row = try rows.get(key, in: record.model)?.row else { return [] }
            return try relations.compactMap { relation in
                guard let dependents = relation.dependents, let values = try dependents.own.values(of: row) else {
                    return nil
                }
                return try StorageQuery(model: dependents.model, predicate: dependents.other.equal(values))
            }
        }
        // More than a commit may hold besides those that are known: then the walk ends before these do.
        let limit = Limits.commitEventCount + seen.count
        var found: [CascadedRecord] = []
        for query in queries {
            try rows.fetch(query) { row in
                found.append(CascadedRecord(model: query.model, key: Array(row.key)))
                return found.count <= limit
            }
        }
        return found.reversed()
    }
}

extension StoreTransaction {
    /// Stages the deletion of the records of `model` with the given keys, and of the records that belong to them, at
    /// all levels.
    ///
    /// A record belongs to another if its key fields refer to it and `@hasMany` or `@hasOne` finds it, or if it joins
    /// it with a third record. There is one event for each record. The records that belong to a record come before it.
    ///
    /// - Parameter sections: Sections for the events of the records with the given keys.
    func stageDeletes(
        of model: ModelLayout, under keys: [[UInt8]], cascading: Bool, sections: EventSections? = nil
    ) throws {
        guard cascading, !layout.relations.cascading(from: model).isEmpty else {
            for key in keys { try key.withUnsafeBytes { try stageDeletion($0, model, sections) } }
            return
        }
        var walk = CascadeWalk(rows: try rows.applyStaged(), relations: layout.relations)
        let limit = remainingEventCount
        for key in keys {
            guard try walk.visit(CascadedRecord(model: model, key: key), while: { $0.foundCount <= limit }) else {
                throw tooLarge()
            }
        }
        try stageDeletions(walk.order, roots: model, keys, sections)
    }

    /// Stages as many deletions as the commit may still hold, of the records of `model` with the given keys and of the
    /// records that belong to them. The records with these keys must exist.
    ///
    /// A record is deleted in the same commit as the records that belong to it. If these alone are too many, this
    /// commit contains as many of them as fit, and a later commit contains the record.
    ///
    /// - Returns: How many of `keys` are complete.
    func stageSomeDeletes(
        of model: ModelLayout, under keys: ArraySlice<[UInt8]>, cascading: Bool, sections: EventSections? = nil
    ) throws -> Int {
        let limit = remainingDeletionCount(sections)
        guard cascading, !layout.relations.cascading(from: model).isEmpty else {
            let some = keys.prefix(limit)
            for key in some { try key.withUnsafeBytes { try stageDeletion($0, model, sections) } }
            return some.count
        }
        var walk = CascadeWalk(rows: try rows.applyStaged(), relations: layout.relations)
        var (doneCount, wholeCount) = (0, 0)
        for key in keys where walk.order.count < limit {
            let record = CascadedRecord(model: model, key: key)
            guard try walk.visit(record, while: { $0.order.count < limit }) else { break }
            doneCount += 1
            wholeCount = walk.order.count
        }
        let some = doneCount > 0 ? walk.order[..<wholeCount] : walk.order[...]
        // A later record of the keys may belong to one of these records, and is then deleted together with it. Its
        // event has the same sections.
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

/// A record that is deleted together with another record.
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

/// A depth-first walk from records to all records that belong to them. The walk visits each record once, so that
/// circular references do not matter.
private struct CascadeWalk {
    let rows: any AdapterTransaction
    let relations: RelationLayouts
    /// The visited records. Each one comes after the records that belong to it, except in a circle.
    private(set) var order: [CascadedRecord] = []
    private var seen: Set<CascadedRecord> = []

    init(rows: any AdapterTransaction, relations: RelationLayouts) {
        self.rows = rows
        self.relations = relations
    }

    /// How many records were found. This includes records for which the walk is not complete.
    var foundCount: Int { seen.count }

    private struct Step {
        let record: CascadedRecord
        /// The records that belong to it and have not been visited yet.
        var dependents: [CascadedRecord]
    }

    /// Walks from `root` as long as `goesOn` returns true. Returns whether the walk is complete.
    mutating func visit(_ root: CascadedRecord, while goesOn: (CascadeWalk) -> Bool) throws -> Bool {
        guard seen.insert(root).inserted else { return true }
        // A list of steps replaces recursion, because a chain of records may be as long as a commit.
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

    /// The records that belong to `record`, in reverse order.
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
        // This limit is more than a commit may hold in addition to the records that were already found. With so many
        // records, the walk stops in any case.
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

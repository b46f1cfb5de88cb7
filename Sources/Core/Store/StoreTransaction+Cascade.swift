extension StoreTransaction {
    /// Stages the deletion of the records of `model` under `keys`, after those of everything that belongs to them: records
    /// whose key fields refer to them, found by `@hasMany` and `@hasOne`, and records that join them with others; and of
    /// what belongs to these in turn.
    ///
    /// One event for each record, whoever it belongs to before those who belong to it end.
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
        var walk = CascadeWalk(rows: try rows.writing(), relations: layout.relations, limit: remainingEventCount)
        for key in keys { try walk.visit(CascadedRecord(model: model, key: key)) }
        guard walk.isWithinLimit else { throw tooLarge() }
        let roots = sections == nil ? [] : Set(keys)
        for record in walk.order {
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
    let rows: any StorageTransaction
    let relations: RelationLayouts
    /// How many records may be found.
    let limit: Int
    /// The records found, each after all that belong to it; in a circle some come before.
    private(set) var order: [CascadedRecord] = []
    private var seen: Set<CascadedRecord> = []

    init(rows: any StorageTransaction, relations: RelationLayouts, limit: Int) {
        self.rows = rows
        self.relations = relations
        self.limit = limit
    }

    var isWithinLimit: Bool { seen.count <= limit }

    private struct Step {
        let record: CascadedRecord
        /// What belongs to it and is still to be visited.
        var dependents: [CascadedRecord]
    }

    mutating func visit(_ root: CascadedRecord) throws {
        guard seen.insert(root).inserted else { return }
        // A list of its own in place of recursion: chains may be as long as a commit.
        var steps = [Step(record: root, dependents: try dependents(of: root))]
        while let last = steps.indices.last, isWithinLimit {
            guard let next = steps[last].dependents.popLast() else {
                order.append(steps.removeLast().record)
                continue
            }
            guard seen.insert(next).inserted else { continue }
            steps.append(Step(record: next, dependents: try dependents(of: next)))
        }
    }

    /// The records that belong to `record`, the last first.
    private func dependents(of record: CascadedRecord) throws -> [CascadedRecord] {
        let relations = relations.cascading(from: record.model)
        guard !relations.isEmpty else { return [] }
        let queries: [StorageQuery] = try record.key.withUnsafeBytes { key in
            guard let row = try rows.get(key, in: record.model)?.row else { return [] }
            return try relations.compactMap { relation in
                switch relation.path {
                case .ownKey: return nil
                case .otherFields(let own, let other, _):
                    return try own.values(of: row).map {
                        try StorageQuery(model: relation.target, predicate: other.equal($0))
                    }
                case .join(let join, let own, _):
                    return try relation.owner.keyFields.values(of: row).map {
                        try StorageQuery(model: join, predicate: own.equal($0))
                    }
                }
            }
        }
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

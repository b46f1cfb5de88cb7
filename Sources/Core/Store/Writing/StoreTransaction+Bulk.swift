/// The parts of calls for many records. Each part is as large as one commit permits.
extension StoreTransaction {
    /// Saves as many of `values` as the commit may hold, from the index `start` on. Returns the index of the first
    /// value that was not saved.
    func save<Value: Model>(_ values: [Value], from start: Int) throws -> Int {
        precondition(values.indices.contains(start) || start == values.count, "a part begins inside the values")
        let model = try layout.model(of: Value.self)
        var position = start
        do {
            try values[start...].prefix(remainingEventCount).forEachBorrowed { value in
                try stageSave(model, .none) { value.encode(into: &$0) }
                position += 1
            }
        } catch let error as DataStoreError where error.code == .transactionTooLarge && position > start {
            // The commit has no room for this value, which was not staged. The next commit begins with it.
        }
        assert(position > start || start == values.count, "each part saves a value")
        return position
    }

    /// Stages the next part of `deletion`. Returns whether the deletion is complete.
    func stage<Value>(_ deletion: inout BulkDeletion<Value>) throws -> Bool {
        if deletion.query.origin != nil { deletion.query = try deletion.query.resolved(in: related) }
        let predicate = deletion.query.predicate
        let model = try layout.model(of: deletion.query).stored
        let isFirst = deletion.keys == nil
        let keys = try deletion.keys ?? self.keys(of: model, deletion.query)
        precondition(deletion.position <= keys.count, "a deletion ends with its last key")
        deletion.keys = keys
        // The deletion of related records may have changed the result of a predicate that follows relations. Only other
        // predicates are therefore checked again.
        let check = try isFirst || predicate.followsRelations(of: model) ? nil : RowPredicate(predicate, for: model)
        var next: [[UInt8]] = []
        var position = deletion.position
        while position < keys.count, next.count < min(remainingEventCount, deletion.limit) {
            let isDue = try keys[position].withUnsafeBytes { key in
                guard let row = try currentRow(key, model) else { return false }
                return try check?.evaluate(row.row) ?? true
            }
            if isDue { next.append(keys[position]) }
            position += 1
        }
        let doneCount = try stageSomeDeletes(
            of: model, under: next[...], cascading: deletion.cascades,
            sections: EventSections(selectedBy: predicate, of: model))
        assert(doneCount <= next.count, "at most the due records are deleted")
        deletion.recordCount += doneCount
        if doneCount == next.count {
            deletion.position = position
        } else {
            while keys[deletion.position] != next[doneCount] { deletion.position += 1 }
        }
        return deletion.position == keys.count
    }

    /// The keys of the records of `query`, which reads `model`.
    func keys<Value>(of model: ModelLayout, _ query: Query<Value>) throws -> [[UInt8]] {
        var keys: [[UInt8]] = []
        try RecordQuery(query, model, in: related).fetch { row in
            keys.append(Array(row.key))
            return true
        }
        return keys
    }

    /// Stages as much as the commit may hold of the deletion of one record and the records that belong to it. Returns
    /// whether the deletion is complete.
    func stagePartOfDelete(_ key: [UInt8], _ model: ModelLayout, condition: QueryPredicate) throws -> Bool {
        requireOpen()
        let model = model.stored
        let sections: EventSections?? = try key.withUnsafeBytes { key in
            guard let row = try currentRow(key, model) else { return .none }
            return .some(try check(condition, on: row, of: model))
        }
        guard let sections else { return true }
        return try stageSomeDeletes(of: model, under: [key], cascading: true, sections: sections) == 1
    }

    /// How many more deletions the commit can hold, if the event of each has `sections`. The estimate uses the largest
    /// key and bitmap. The result is at least one, so that staging refuses a condition that is larger than a commit.
    func remainingDeletionCount(_ sections: EventSections?) -> Int {
        let slotCount = layout.models.map(\.row.slotCount).max() ?? 0
        let eventByteCount =
            EventFormat.headerByteCount + Limits.keyByteCount + (slotCount + 7) / 8
            + (sections?.condition?.utf8.count ?? 0)
        return min(remainingEventCount, max(1, staged.remainingCommitByteCount / eventByteCount))
    }

    /// The state of a deletion of many records.
    struct BulkDeletion<Value: Fetchable>: Sendable {
        /// The records to delete.
        var query: Query<Value>
        let cascades: Bool
        /// The keys of the records to delete, `nil` until they are found.
        var keys: [[UInt8]]?
        /// How many of the keys are processed.
        var position = 0
        /// How many records were deleted, without the records that belonged to them.
        var recordCount = 0
        /// The most records that the next commit deletes. It is smaller after the disk had no space for a commit.
        private(set) var limit = Limits.commitEventCount

        /// Makes the commits small if the disk is nearly full, because the rows of a whole commit change at once.
        mutating func fit(freeByteCount: Int) {
            guard freeByteCount < 64 << 20 else { return }
            limit = max(64, freeByteCount >> 15)
        }

        /// Makes the next commit smaller. Returns `false` if it cannot be smaller.
        mutating func shrink() -> Bool {
            guard limit > 1 else { return false }
            limit = max(1, Swift.min(limit, 1_024) / 8)
            return true
        }
    }
}

extension EventSections {
    /// The sections of a deletion's event if `predicate` selected its record. The predicate is then the condition.
    ///
    /// The result is `nil` for ``QueryPredicate/all``, which is no condition. It is also `nil` for a predicate that
    /// follows relations, because a server checks a condition on one record.
    init?(selectedBy predicate: QueryPredicate, of model: ModelLayout) {
        guard predicate != .all, !predicate.followsRelations(of: model) else { return nil }
        self.init(condition: predicate.text)
    }
}

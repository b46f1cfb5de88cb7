/// Calls for many records: each goes in as many commits as it needs.
extension DataStore {
    /// Saves all of `values`: as one commit, or as several if one may not hold them (100,000 events, 64 MiB).
    ///
    /// Each commit is durable and checked by itself, so parents come before their children. If one fails or the task is
    /// cancelled, those before it stay: ``DataStoreError/appended`` says which. For all or nothing use
    /// ``write(requireParents:estimatedByteCount:_:)``.
    ///
    /// - Returns: what was appended, over all commits.
    /// - Throws: as ``save(_:where:requireParents:)``.
    @discardableResult
    public func save<Value: Model>(_ values: [Value], requireParents: Bool? = nil) async throws -> BulkCommit {
        try await bulk(from: 0, requireParents: requireParents) { start in
            Swift.min(values.count - start, Limits.commitEventCount) * Limits.estimatedValueByteCount
        } stage: { transaction, start in
            start = try transaction.save(values, from: start)
            return start == values.count
        }.commits
    }

    /// Deletes every record of `type` that `predicate` holds for, and what belongs to them, with an event for each: in one
    /// commit, or in several if one may not hold them (100,000 events, 64 MiB). The events of the records that the predicate
    /// selected hold its text as their condition, as ``StoreTransaction/delete(_:where:cascading:)-(Value.Type,_,_)`` says.
    ///
    /// Which records these are is decided at the beginning; those that no longer satisfy a predicate on their own fields
    /// when their turn comes are left alone. What belongs to a record goes before it or in the same commit, so a deletion
    /// that is cut off leaves no orphan, and is finished by asking again. If a commit fails or the task is cancelled,
    /// those before it stay: ``DataStoreError/appended`` says which. For all or nothing use
    /// ``StoreTransaction/delete(_:where:cascading:)-(Value.Type,_,_)``.
    ///
    /// - Returns: what was appended, over all commits.
    @discardableResult
    public func delete<Value: Model>(
        _ type: Value.Type, where predicate: ModelPredicate<Value>, cascading: Bool = true
    ) async throws -> BulkCommit {
        try await deleteAll(
            current().layout.model(of: type).name, where: predicate.queryPredicate, cascading: cascading
        ).commits
    }

    /// Deletes every record of the model called `name` that `predicate` holds for, and what belongs to them, as
    /// ``delete(_:where:cascading:)-(Value.Type,_,_)``.
    @discardableResult
    public func delete(_ name: String, where predicate: QueryPredicate, cascading: Bool = true) async throws
        -> BulkCommit
    {
        try await deleteAll(name, where: predicate, cascading: cascading).commits
    }

    /// As ``delete(_:where:cascading:)-(String,_,_)``; says besides how many records were deleted, without what belonged to
    /// them.
    package func deleteAll(
        _ name: String, where predicate: QueryPredicate, cascading: Bool = true
    ) async throws -> (recordCount: Int, commits: BulkCommit) {
        let deletion = BulkDeletion(model: name, predicate: predicate, cascades: cascading)
        let (ended, commits) = try await bulk(from: deletion) { transaction, deletion in
            try transaction.stage(&deletion)
        }
        return (ended.recordCount, commits)
    }

    /// Deletes the record that `find` names, and what belongs to it; if that is more than a commit may hold, in several,
    /// the record last.
    func deleteOne(
        where condition: QueryPredicate, cascading: Bool,
        _ find: @escaping @Sendable (StoreTransaction) throws -> (model: ModelLayout, key: [UInt8])
    ) async throws -> BulkCommit {
        do {
            let commit = try await write { transaction in
                let (model, key) = try find(transaction)
                _ = try key.withUnsafeBytes {
                    try transaction.stageDelete($0, model, condition: condition, cascading: cascading)
                }
            }
            return BulkCommit(commit)
        } catch let error as DataStoreError where error.code == .transactionTooLarge {
            return try await bulk(from: ()) { transaction, _ in
                let (model, key) = try find(transaction)
                return try transaction.stagePartOfDelete(key, model, condition: condition)
            }.commits
        }
    }

    /// Calls `stage` for one commit after the other, with what it left in `state` after the one before, until it says that
    /// nothing is left to do.
    private func bulk<State: Sendable>(
        from state: State, requireParents: Bool? = nil,
        estimatedByteCount: (State) -> Int = { _ in Limits.estimatedWriteByteCount },
        stage: @escaping @Sendable (StoreTransaction, inout State) throws -> Bool
    ) async throws -> (state: State, commits: BulkCommit) {
        var state = state
        var commits: BulkCommit?
        var isDone = false
        while !isDone {
            do {
                let byteCount = Swift.max(estimatedByteCount(state), Limits.estimatedWriteByteCount)
                let before = state
                let (result, commit) = try await writeReturning(
                    requireParents: requireParents, estimatedByteCount: byteCount
                ) { transaction in
                    var next = before
                    let isDone = try stage(transaction, &next)
                    return (state: next, isDone: isDone)
                }
                (state, isDone) = (result.state, result.isDone)
                if commits == nil { commits = BulkCommit(commit) } else { commits?.add(commit) }
            } catch var error as DataStoreError {
                error.appended = commits
                throw error
            }
        }
        guard let commits else { preconditionFailure("a call for many records makes at least one commit") }
        return (state, commits)
    }
}

/// A deletion of many records on its way.
struct BulkDeletion: Sendable {
    let model: String
    let predicate: QueryPredicate
    let cascades: Bool
    /// The keys of the records to delete, once they were found.
    var keys: [[UInt8]]?
    /// How many of them are done.
    var position = 0
    /// How many records were deleted, without what belonged to them.
    var recordCount = 0

    init(model: String, predicate: QueryPredicate, cascades: Bool) {
        self.model = model
        self.predicate = predicate
        self.cascades = cascades
    }
}

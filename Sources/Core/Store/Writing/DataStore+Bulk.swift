/// Calls for many records. Each call makes as many commits as it needs.
extension DataStore {
    /// Saves all of `values` in one commit, or in several if one commit cannot hold them (100,000 events, 64 MiB).
    ///
    /// Each commit is checked and becomes durable separately, so that parents must come before their children. If a
    /// commit fails or the task is cancelled, the earlier commits stay, and ``DataStoreError/appended`` lists them. Use
    /// ``write(requireParents:estimatedByteCount:_:)`` to save all records or none.
    ///
    /// - Returns: The events of all commits.
    /// - Throws: The errors of ``save(_:where:requireParents:)``.
    @discardableResult
    public func save<Value: Model>(_ values: [Value], requireParents: Bool? = nil) async throws -> BulkCommit {
        try await bulk(from: 0, requireParents: requireParents) { start in
            Swift.min(values.count - start, Limits.commitEventCount) * Limits.estimatedValueByteCount
        } stage: { transaction, start in
            start = try transaction.save(values, from: start)
            return start == values.count
        }.commits
    }

    /// Deletes every record of `query`, and the records that belong to them, with one event for each record. All events are
    /// in one commit, or in several if one commit cannot hold them (100,000 events, 64 MiB) or if the disk is nearly full.
    ///
    /// The events of the selected records have the text of the query's condition as their condition, as
    /// ``StoreTransaction/delete(all:cascading:)`` describes.
    ///
    /// The records are selected at the beginning. If the condition concerns only the record's own fields, it is checked
    /// again before the deletion, and a record that no longer satisfies it is kept. The records that belong to a record
    /// are deleted before it or in the same commit. An interrupted deletion therefore leaves no orphan, and a second
    /// call completes it. If a commit fails or the task is cancelled, the earlier commits stay, and
    /// ``DataStoreError/appended`` lists them. Use ``StoreTransaction/delete(all:cascading:)`` to delete all records or none.
    ///
    /// - Returns: The events of all commits.
    @discardableResult
    public func delete<Value>(all query: Query<Value>, cascading: Bool = true) async throws -> BulkCommit {
        try await deleteCounting(query, cascading: cascading).commits
    }

    /// Deletes records as ``delete(all:cascading:)`` does. Also returns how many records were deleted, without the records
    /// that belonged to them.
    package func deleteCounting<Value>(
        _ query: Query<Value>, cascading: Bool = true
    ) async throws -> (recordCount: Int, commits: BulkCommit) {
        var deletion = StoreTransaction.BulkDeletion(query: query, cascades: cascading)
        deletion.fit(freeByteCount: FileSystem.freeByteCount(directory.path))
        let (ended, commits) = try await bulk(from: deletion, freesRoom: true, shrink: { $0.shrink() }) {
            transaction, deletion in
            try transaction.stage(&deletion)
        }
        return (ended.recordCount, commits)
    }

    /// Deletes the record that `find` returns, and the records that belong to it. If one commit cannot hold this, there
    /// are several commits, and the record is deleted in the last one.
    func deleteOne(
        where condition: QueryPredicate, cascading: Bool,
        _ find: @escaping @Sendable (StoreTransaction) throws -> (model: ModelLayout, key: [UInt8])
    ) async throws -> BulkCommit {
        do {
            let commit = try await writeFreeingRoom { transaction in
                let (model, key) = try find(transaction)
                _ = try key.withUnsafeBytes {
                    try transaction.stageDelete($0, model, condition: condition, cascading: cascading)
                }
            }
            return BulkCommit(commit)
        } catch let error as DataStoreError where error.code == .transactionTooLarge {
            return try await bulk(from: (), freesRoom: true) { transaction, _ in
                let (model, key) = try find(transaction)
                return try transaction.stagePartOfDelete(key, model, condition: condition)
            }.commits
        }
    }

    /// Calls `stage` for one commit after the other, until it returns true because nothing is left to do. Each call
    /// gets the `state` that the call before it returned.
    ///
    /// - Parameters:
    ///   - freesRoom: Whether the commits delete records, so that they may use the space that is set aside.
    ///   - shrink: Called if the disk has no space for a commit. Returns whether the next commit is smaller.
    private func bulk<State: Sendable>(
        from state: State, requireParents: Bool? = nil, freesRoom: Bool = false,
        estimatedByteCount: (State) -> Int = { _ in Limits.estimatedWriteByteCount },
        shrink: (inout State) -> Bool = { _ in false },
        stage: @escaping @Sendable (StoreTransaction, inout State) throws -> Bool
    ) async throws -> (state: State, commits: BulkCommit) {
        var state = state
        var commits: BulkCommit?
        var isDone = false
        while !isDone {
            do {
                let byteCount = Swift.max(estimatedByteCount(state), Limits.estimatedWriteByteCount)
                let before = state
                let (result, commit) = try await writeBulk(
                    requireParents: requireParents, estimatedByteCount: byteCount, freesRoom: freesRoom
                ) { transaction in
                    var next = before
                    let isDone = try stage(transaction, &next)
                    return (state: next, isDone: isDone)
                }
                state = result.state
                isDone = result.isDone
                if commits == nil { commits = BulkCommit(commit) } else { commits?.add(commit) }
            } catch var error as DataStoreError {
                if error.code == .storageFull, shrink(&state) { continue }
                error.appended = commits
                throw error
            }
        }
        guard let commits else { preconditionFailure("a call for many records makes at least one commit") }
        return (state, commits)
    }
}

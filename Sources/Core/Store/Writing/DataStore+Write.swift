extension DataStore {
    /// Runs `body` as one commit. All changes of the closure are stored, or none. The commit is durable when this
    /// method returns.
    ///
    /// Reads through `tx` see the closure's own changes. The closure runs on its own, not on the caller's actor, and
    /// cannot suspend.
    ///
    /// ```swift
    /// try await store.write { tx in
    ///     try tx.save(order)
    ///     try tx.delete(Draft.self, id: draft.id)
    /// }
    /// ```
    ///
    /// All queued writes together may have up to ``Limits/pendingByteCount`` estimated bytes. A further write waits until there
    /// is room. Waiting writes keep their order. If the task of a waiting write is cancelled, the write has no effect.
    ///
    /// - Parameters:
    ///   - requireParents: Whether the parents of every saved record must exist, if the schema requires them. With
    ///     `nil` they must exist, unless the store is synced. In a synced store parents may arrive later, and the
    ///     server decides.
    ///   - estimatedByteCount: About how many bytes the write appends, and holds in memory until then. Give it for
    ///     large writes, for example imports.
    /// - Returns: The appended events. The commit is empty if there was nothing to change.
    /// - Throws: An error of `body`, after which nothing is changed. ``DataStoreError``: `parentMissing`;
    ///   `outcomeUnknown` if the log's sync failed, and `poisoned` for all writes after that; `storageFull`,
    ///   `transactionTooLarge`, `readOnly`, `closed`. `CancellationError` if the task was cancelled before the closure
    ///   ran.
    @discardableResult
    public func write(
        requireParents: Bool? = nil, estimatedByteCount: Int = Limits.estimatedWriteByteCount,
        _ body: @escaping @Sendable (StoreTransaction) throws -> Void
    ) async throws -> Commit {
        try await writeReturning(requireParents: requireParents, estimatedByteCount: estimatedByteCount, body).commit
    }

    /// Runs `body` as one commit. Returns the commit and the result of `body`.
    @discardableResult
    public func writeReturning<Value: Sendable>(
        requireParents: Bool? = nil, estimatedByteCount: Int = Limits.estimatedWriteByteCount,
        _ body: @escaping @Sendable (StoreTransaction) throws -> Value
    ) async throws -> (result: Value, commit: Commit) {
        precondition(estimatedByteCount >= 0, "a write does not take less than nothing")
        return try await commit(requireParents, estimatedByteCount, body)
    }

    /// Runs each of `bodies` as one commit. The commits follow each other and share one sync, unless they are too large for one
    /// group. They are durable when this method returns.
    ///
    /// A body sees the changes of the bodies before it. A body that throws changes nothing, and the other commits are made.
    ///
    /// - Throws: ``DataStoreError`` if the store takes no writes. `CancellationError` if the task was cancelled before any of
    ///   the closures ran.
    package func writeEach<Value: Sendable>(
        requireParents: Bool, _ bodies: [@Sendable (StoreTransaction) throws -> Value]
    ) async throws -> [Result<(result: Value, commit: Commit), any Error>] {
        try await writer(of: current()).writeEach(
            bodies.map { body in
                { transaction in
                    transaction.requiresParents = requireParents
                    return try body(transaction)
                }
            })
    }

    /// Runs `body`, which deletes records, as one commit. On a full disk it may use the space that is set aside.
    func writeFreeingRoom(_ body: @escaping @Sendable (StoreTransaction) throws -> Void) async throws -> Commit {
        try await commit(nil, freesRoom: true, body).commit
    }

    /// Runs `body` as one commit of a call for many records.
    func writeBulk<Value: Sendable>(
        requireParents: Bool?, estimatedByteCount: Int, freesRoom: Bool,
        _ body: @escaping @Sendable (StoreTransaction) throws -> Value
    ) async throws -> (result: Value, commit: Commit) {
        try await commit(requireParents, estimatedByteCount, freesRoom: freesRoom, body)
    }

    /// Runs `body` as one commit of the generation whose number ``eventWait()`` returned.
    ///
    /// - Throws: ``DataStoreError`` with code `storeCleared` if the store was cleared since then, or an error of
    ///   ``write(requireParents:estimatedByteCount:_:)``.
    package func writeReturning<Value: Sendable>(
        onlyIn generation: Int, requireParents: Bool, _ body: @escaping @Sendable (StoreTransaction) throws -> Value
    ) async throws -> (result: Value, commit: Commit) {
        let current = try current()
        guard current.number == generation else { throw DataStoreError.cleared }
        return try await writer(of: current).write(byteCount: Limits.estimatedWriteByteCount) { transaction in
            transaction.requiresParents = requireParents
            return try body(transaction)
        }
    }

    /// Runs `body` as one commit, on the executor of the caller. The closure is short, and an actor therefore does not
    /// have to switch to another thread and back.
    nonisolated(nonsending) private func commit<Value: Sendable>(
        _ requireParents: Bool?, _ estimatedByteCount: Int = Limits.estimatedWriteByteCount, freesRoom: Bool = false,
        _ body: @escaping @Sendable (StoreTransaction) throws -> Value
    ) async throws -> (result: Value, commit: Commit) {
        let writer = try writer(of: current())
        guard let requireParents else {
            return try await writer.write(byteCount: estimatedByteCount, freesRoom: freesRoom, body)
        }
        return try await writer.write(byteCount: estimatedByteCount, freesRoom: freesRoom) { transaction in
            transaction.requiresParents = requireParents
            return try body(transaction)
        }
    }

    /// Saves `value`: inserts it, or replaces the record with the same id. The record is durable when this method returns.
    ///
    /// - Parameters:
    ///   - condition: The condition that the present record must satisfy. The value `.all` is no condition.
    ///   - requireParents: As for ``write(requireParents:estimatedByteCount:_:)``.
    /// - Throws: ``DataStoreError`` with code `conditionFailed` if the condition is false, or if there is no record to
    ///   check it on. Also the errors of ``write(requireParents:estimatedByteCount:_:)``.
    @discardableResult
    nonisolated(nonsending) public func save<Value: Model>(
        _ value: Value, where condition: ModelPredicate<Value> = .all, requireParents: Bool? = nil
    ) async throws -> Commit {
        try await commit(requireParents) { try $0.save(value, where: condition) }.commit
    }

    /// Saves a dynamic record: inserts it, or replaces the record with the same id.
    @discardableResult
    nonisolated(nonsending) package func save(
        _ record: Record, where condition: QueryPredicate = .all, requireParents: Bool? = nil
    ) async throws -> Commit {
        try await commit(requireParents) { try $0.save(record, where: condition) }.commit
    }

    /// Inserts `value`. No record may have its id.
    ///
    /// - Throws: ``DataStoreError`` with code `alreadyExists`, or an error of
    ///   ``write(requireParents:estimatedByteCount:_:)``.
    @discardableResult
    nonisolated(nonsending) public func insert<Value: Model>(_ value: Value, requireParents: Bool? = nil) async throws
        -> Commit
    {
        try await commit(requireParents) { try $0.insert(value) }.commit
    }

    /// Updates the record that has the id of `value`. The record must exist.
    ///
    /// - Throws: ``DataStoreError`` with code `notFound`, or an error of
    ///   ``write(requireParents:estimatedByteCount:_:)``.
    @discardableResult
    nonisolated(nonsending) public func update<Value: Model>(_ value: Value, requireParents: Bool? = nil) async throws
        -> Commit
    {
        try await commit(requireParents) { try $0.update(value) }.commit
    }

    /// Deletes the record of `type` whose key is the text `id`. If there is no such record, nothing happens, even with
    /// a condition.
    ///
    /// - Parameters:
    ///   - condition: The condition that the present record must satisfy. The value `.all` is no condition.
    ///   - cascading: Whether the records that belong to the record are also deleted, at every level. There is one
    ///     event for each record, children first. A record belongs to the record whose `@hasMany` or `@hasOne` finds it
    ///     by the whole key. It also belongs to a record whose `@hasOne` is the counterpart of its `@belongsTo`. A
    ///     record that joins two records belongs to both.
    /// - Returns: The appended events: one commit, or several if one commit cannot hold them (100,000 events). With
    ///   several commits, the records that belong to the record are deleted first, and the record itself in the last
    ///   commit. An interrupted deletion therefore leaves no orphan, and a second call completes it.
    /// - Throws: ``DataStoreError`` with code `conditionFailed` if there is a record and the condition is false. Also
    ///   the errors of ``write(requireParents:estimatedByteCount:_:)``.
    @discardableResult
    public func delete<Value: Model>(
        _ type: Value.Type, id: String, where condition: ModelPredicate<Value> = .all, cascading: Bool = true
    ) async throws -> BulkCommit {
        try await deleteOne(where: condition.queryPredicate, cascading: cascading) { transaction in
            try transaction.layout.model(of: type).andKey(of: RecordID(id))
        }
    }

    /// Deletes the record of `type` that has `id`, as ``delete(_:id:where:cascading:)-(Value.Type,String,_,_)`` does.
    @discardableResult
    public func delete<Value: Model>(
        _ type: Value.Type, id: ModelID<Value>, where condition: ModelPredicate<Value> = .all, cascading: Bool = true
    ) async throws -> BulkCommit {
        try await deleteOne(where: condition.queryPredicate, cascading: cascading) { transaction in
            try transaction.layout.model(of: type).andKey(of: id.recordID)
        }
    }

    /// Deletes the record of the model called `name` that has `id`, as
    /// ``delete(_:id:where:cascading:)-(Value.Type,String,_,_)`` does.
    @discardableResult
    package func delete(
        _ name: String, id: RecordID, where condition: QueryPredicate = .all, cascading: Bool = true
    ) async throws -> BulkCommit {
        try await deleteOne(where: condition, cascading: cascading) { transaction in
            try transaction.model(named: name).andKey(of: id)
        }
    }

    /// Deletes the record that has the id of `value`, as ``delete(_:id:where:cascading:)-(Value.Type,String,_,_)`` does.
    @discardableResult
    public func delete<Value: Model>(
        _ value: Value, where condition: ModelPredicate<Value> = .all, cascading: Bool = true
    ) async throws -> BulkCommit {
        try await deleteOne(where: condition.queryPredicate, cascading: cascading) { transaction in
            let model = try transaction.layout.model(of: Value.self)
            return (model, try model.key(of: value))
        }
    }
}

extension ModelLayout {
    /// This model, and the key of the record that has `id`.
    fileprivate func andKey(of id: RecordID) throws -> (model: ModelLayout, key: [UInt8]) {
        (self, try withKey(of: id) { Array($0) })
    }
}

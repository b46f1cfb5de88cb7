extension DataStore {
    /// Runs `body` as one commit: all of its changes or none, durable when this returns.
    ///
    /// Reads through `tx` see the closure's own changes. The closure runs alone, not on the caller's actor, and cannot suspend.
    ///
    /// ```swift
    /// try await store.write { tx in
    ///     try tx.save(order)
    ///     try tx.delete(Draft.self, id: draft.id)
    /// }
    /// ```
    ///
    /// Queued writes may count ``Limits/pendingByteCount`` bytes together; a further write is held back, in order, until
    /// there is room. If its task is cancelled meanwhile, nothing of the write is kept.
    ///
    /// - Parameters:
    ///   - requireParents: Whether every record saved must refer to parents that are there, if its schema requires
    ///     them; `nil` for yes, unless the store is synced: there parents may be on their way, and the server decides.
    ///   - estimatedByteCount: About how many bytes the write appends, and holds in memory until then: for writes that
    ///     are large, such as imports.
    /// - Returns: the events appended; empty if nothing was to change.
    /// - Throws: what `body` throws, and then nothing is changed; ``DataStoreError``: `parentMissing`; `outcomeUnknown` where
    ///   the log's sync failed, `poisoned` from then on, `storageFull`, `transactionTooLarge`, `readOnly`, `closed`;
    ///   `CancellationError` if the task was cancelled before the closure ran.
    @discardableResult
    public func write(
        requireParents: Bool? = nil, estimatedByteCount: Int = Limits.estimatedWriteByteCount,
        _ body: @escaping @Sendable (StoreTransaction) throws -> Void
    ) async throws -> Commit {
        try await writeReturning(requireParents: requireParents, estimatedByteCount: estimatedByteCount, body).commit
    }

    /// Runs `body` as one commit and returns what it returns, with the commit.
    @discardableResult
    public func writeReturning<Value: Sendable>(
        requireParents: Bool? = nil, estimatedByteCount: Int = Limits.estimatedWriteByteCount,
        _ body: @escaping @Sendable (StoreTransaction) throws -> Value
    ) async throws -> (result: Value, commit: Commit) {
        precondition(estimatedByteCount >= 0, "a write does not take less than nothing")
        return try await commit(requireParents, estimatedByteCount, body)
    }

    /// Runs `body` as one commit of the log that ``eventWait()`` gave the number of.
    ///
    /// - Throws: ``DataStoreError``: `storeCleared` if the store was cleared since; as ``write(requireParents:_:)``.
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

    /// Runs `body`, which is short, as one commit, from where the caller is: an actor does not lose its turn to another
    /// thread and back.
    nonisolated(nonsending) private func commit<Value: Sendable>(
        _ requireParents: Bool?, _ estimatedByteCount: Int = Limits.estimatedWriteByteCount,
        _ body: @escaping @Sendable (StoreTransaction) throws -> Value
    ) async throws -> (result: Value, commit: Commit) {
        let writer = try writer(of: current())
        guard let requireParents else { return try await writer.write(byteCount: estimatedByteCount, body) }
        return try await writer.write(byteCount: estimatedByteCount) { transaction in
            transaction.requiresParents = requireParents
            return try body(transaction)
        }
    }

    /// Saves `value`: inserts it or replaces the record that has its id. Durable when this returns.
    ///
    /// - Parameters:
    ///   - condition: What must hold of the record as it is now; `.all` is no condition.
    ///   - requireParents: As for ``write(requireParents:_:)``.
    /// - Throws: ``DataStoreError``: `conditionFailed` if the condition is false or there is no record to check it on;
    ///   as ``write(requireParents:_:)``.
    @discardableResult
    nonisolated(nonsending) public func save<Value: Model>(
        _ value: Value, where condition: ModelPredicate<Value> = .all, requireParents: Bool? = nil
    ) async throws -> Commit {
        try await commit(requireParents) { try $0.save(value, where: condition) }.commit
    }

    /// Saves a dynamic record: inserts it or replaces the one that has its id.
    @discardableResult
    nonisolated(nonsending) public func save(
        _ record: Record, where condition: QueryPredicate = .all, requireParents: Bool? = nil
    ) async throws -> Commit {
        try await commit(requireParents) { try $0.save(record, where: condition) }.commit
    }

    /// Saves `value`, which must be new.
    ///
    /// - Throws: ``DataStoreError`` with code `alreadyExists`; as ``write(requireParents:_:)``.
    @discardableResult
    nonisolated(nonsending) public func insert<Value: Model>(_ value: Value, requireParents: Bool? = nil) async throws
        -> Commit
    {
        try await commit(requireParents) { try $0.insert(value) }.commit
    }

    /// Saves `value`, whose record must exist.
    ///
    /// - Throws: ``DataStoreError`` with code `notFound`; as ``write(requireParents:_:)``.
    @discardableResult
    nonisolated(nonsending) public func update<Value: Model>(_ value: Value, requireParents: Bool? = nil) async throws
        -> Commit
    {
        try await commit(requireParents) { try $0.update(value) }.commit
    }

    /// Deletes the record of `type` whose key is the text `id`. If there is none, nothing happens, also with a condition.
    ///
    /// - Parameters:
    ///   - condition: What must hold of the record as it is now; `.all` is no condition.
    ///   - cascading: Whether what belongs to the record is deleted with it, at every level: an event for each record,
    ///     children first. Records belong to the one whose `@hasMany` or `@hasOne` finds them by its whole key, or whose
    ///     `@hasOne` their `@belongsTo` answers; records that join two others belong to both.
    /// - Returns: what was appended: one commit, or several if one may not hold all that goes (100,000 events). Then
    ///   what belongs to the record goes first and the record itself in the last commit, so that a deletion that is cut off
    ///   leaves no orphan and is finished by asking again.
    /// - Throws: ``DataStoreError`` with code `conditionFailed` if there is a record and the condition is false; as
    ///   ``write(requireParents:estimatedByteCount:_:)``.
    @discardableResult
    public func delete<Value: Model>(
        _ type: Value.Type, id: String, where condition: ModelPredicate<Value> = .all, cascading: Bool = true
    ) async throws -> BulkCommit {
        try await deleteOne(where: condition.queryPredicate, cascading: cascading) { transaction in
            try transaction.layout.model(of: type).andKey(of: RecordID(id))
        }
    }

    /// Deletes the record of `type` that has `id`, as ``delete(_:id:where:cascading:)-(Value.Type,String,_,_)``.
    @discardableResult
    public func delete<Value: Model>(
        _ type: Value.Type, id: ModelID<Value>, where condition: ModelPredicate<Value> = .all, cascading: Bool = true
    ) async throws -> BulkCommit {
        try await deleteOne(where: condition.queryPredicate, cascading: cascading) { transaction in
            try transaction.layout.model(of: type).andKey(of: id.recordID)
        }
    }

    /// Deletes the record of the model called `name` that has `id`, as
    /// ``delete(_:id:where:cascading:)-(Value.Type,String,_,_)``.
    @discardableResult
    public func delete(
        _ name: String, id: RecordID, where condition: QueryPredicate = .all, cascading: Bool = true
    ) async throws -> BulkCommit {
        try await deleteOne(where: condition, cascading: cascading) { transaction in
            try transaction.model(named: name).andKey(of: id)
        }
    }

    /// Deletes the record that has the id of `value`, as ``delete(_:id:where:cascading:)-(Value.Type,String,_,_)``.
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
    /// The model with the key of the record that has `id`.
    fileprivate func andKey(of id: RecordID) throws -> (model: ModelLayout, key: [UInt8]) {
        (self, try withKey(of: id) { Array($0) })
    }
}

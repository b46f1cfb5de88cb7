extension DataStore {
    /// Runs `body` as one commit: all of its changes or none, durable when this returns.
    ///
    /// Reads through `tx` see the closure's own changes. The closure runs alone, on the writer's thread, and cannot suspend.
    ///
    /// ```swift
    /// try await store.write { tx in
    ///     try tx.save(order)
    ///     try tx.delete(Draft.self, id: draft.id)
    /// }
    /// ```
    ///
    /// - Parameter requireParents: Whether every record saved must refer to parents that are there, where its schema
    ///   requires them; `nil` for yes, unless the store is synced: there parents may be on their way, and the server decides.
    /// - Returns: the events appended; empty where nothing was to change.
    /// - Throws: what `body` throws, and then nothing is changed; ``DataStoreError``: `parentMissing`; `outcomeUnknown` where
    ///   the log's
    ///   sync failed, `poisoned` from then on, `storageFull`, `transactionTooLarge`, `readOnly`, `closed`;
    ///   `CancellationError` where the task was cancelled before the closure ran.
    @discardableResult
    public func write(
        requireParents: Bool? = nil, _ body: @escaping @Sendable (StoreTransaction) throws -> Void
    ) async throws -> Commit {
        try await writeReturning(requireParents: requireParents, body).commit
    }

    /// Runs `body` as one commit and returns what it returns, with the commit.
    @discardableResult
    public func writeReturning<Value: Sendable>(
        requireParents: Bool? = nil, _ body: @escaping @Sendable (StoreTransaction) throws -> Value
    ) async throws -> (result: Value, commit: Commit) {
        let writer = try writer(of: current())
        guard let requireParents else { return try await writer.write(body) }
        return try await writer.write { transaction in
            transaction.requiresParents = requireParents
            return try body(transaction)
        }
    }

    /// Saves `value`: inserts it or replaces the record that has its id. Durable when this returns.
    ///
    /// - Parameters:
    ///   - condition: What must hold of the record as it is now; `.all` is no condition.
    ///   - requireParents: As for ``write(requireParents:_:)``.
    /// - Throws: ``DataStoreError``: `conditionFailed` where the condition is false or there is no record to check it on;
    ///   as ``write(requireParents:_:)``.
    @discardableResult
    public func save<Value: Model>(
        _ value: Value, where condition: Predicate = .all, requireParents: Bool? = nil
    ) async throws -> Commit {
        try await write(requireParents: requireParents) { try $0.save(value, where: condition) }
    }

    /// Saves all of `values` as one commit, or as several of at most 100,000 events where there are more.
    ///
    /// - Returns: the range of all commits.
    @discardableResult
    public func save<Value: Model>(_ values: [Value], requireParents: Bool? = nil) async throws -> Commit {
        guard values.count > Limits.commitEventCount else {
            return try await write(requireParents: requireParents) { try $0.save(values) }
        }
        var whole: Commit?
        for start in stride(from: 0, to: values.count, by: Limits.commitEventCount) {
            let chunk = values[start..<Swift.min(start + Limits.commitEventCount, values.count)]
            let commit = try await write(requireParents: requireParents) { try $0.save(chunk) }
            whole = Commit(first: whole?.first ?? commit.first, last: commit.last)
        }
        return whole ?? Commit(first: SequenceNumber(1), last: .zero)
    }

    /// Saves a dynamic record: inserts it or replaces the one that has its id.
    @discardableResult
    public func save(
        _ record: Record, where condition: Predicate = .all, requireParents: Bool? = nil
    ) async throws -> Commit {
        try await write(requireParents: requireParents) { try $0.save(record, where: condition) }
    }

    /// Saves `value`, which must be new.
    ///
    /// - Throws: ``DataStoreError`` with code `alreadyExists`; as ``write(requireParents:_:)``.
    @discardableResult
    public func insert<Value: Model>(_ value: Value, requireParents: Bool? = nil) async throws -> Commit {
        try await write(requireParents: requireParents) { try $0.insert(value) }
    }

    /// Saves `value`, whose record must exist.
    ///
    /// - Throws: ``DataStoreError`` with code `notFound`; as ``write(requireParents:_:)``.
    @discardableResult
    public func update<Value: Model>(_ value: Value, requireParents: Bool? = nil) async throws -> Commit {
        try await write(requireParents: requireParents) { try $0.update(value) }
    }

    /// Deletes the record of `type` whose key is the text `id`. Where there is none, nothing happens.
    ///
    /// - Parameters:
    ///   - condition: What must hold of the record as it is now; `.all` is no condition.
    ///   - cascading: Whether what belongs to the record is deleted with it, at every level: an event for each record,
    ///     children first, in one commit. Records belong to the one whose `@hasMany` or `@hasOne` finds them by its whole
    ///     key; records that join two others belong to both.
    /// - Throws: ``DataStoreError`` with code `conditionFailed` where there is a condition and it is false or there is no
    ///   record; as ``write(requireParents:_:)``.
    @discardableResult
    public func delete<Value: Model>(
        _ type: Value.Type, id: String, where condition: Predicate = .all, cascading: Bool = true
    ) async throws -> Commit {
        try await write { _ = try $0.delete(type, id: id, where: condition, cascading: cascading) }
    }

    /// Deletes the record of `type` that has `id`. Where there is none, nothing happens.
    @discardableResult
    public func delete<Value: Model>(
        _ type: Value.Type, id: ModelID<Value>, where condition: Predicate = .all, cascading: Bool = true
    ) async throws -> Commit {
        try await write { _ = try $0.delete(type, id: id, where: condition, cascading: cascading) }
    }

    /// Deletes the record that has the id of `value`. Where there is none, nothing happens.
    @discardableResult
    public func delete<Value: Model>(
        _ value: Value, where condition: Predicate = .all, cascading: Bool = true
    ) async throws -> Commit {
        try await write { _ = try $0.delete(value, where: condition, cascading: cascading) }
    }

    /// Deletes every record of `type` that `predicate` holds for, and what belongs to them, in one commit with an event for
    /// each.
    @discardableResult
    public func delete<Value: Model>(
        _ type: Value.Type, where predicate: Predicate, cascading: Bool = true
    ) async throws -> Commit {
        try await write { _ = try $0.delete(type, where: predicate, cascading: cascading) }
    }
}

package import TidelogCore
internal import TidelogSynchronization

/// A versioned store over a ``DataStore``. Each change is one commit of its log.
package final class LogVersionedStore: VersionedStore {
    private let store: DataStore
    /// The models of the API, by name.
    private let models: [String: ModelSchema]
    private let clock: @Sendable () -> Int64
    private let kind: APIKind
    private let tombstoneAge: Int64
    private let time: Mutex<ChangeTime>
    /// The fields that mutations selected, since the log does not have them.
    private let selections = SelectionNotes()
    /// The failure of the last write; `nil` after a write that shows that the failure is over.
    private let failure = Mutex<Failure?>(nil)
    /// The time up to which all tombstones were purged.
    private let purgedTime = Mutex<Int64>(.min)
    package let source: String

    /// Makes a versioned store for the records of the API.
    ///
    /// - Parameters:
    ///   - store: A store that was opened with ``ServerModels/adding(to:)`` of `schema`.
    ///   - schema: The models of the API with their metadata.
    ///   - source: The document from which `schema` was made.
    ///   - kind: The kind of the API. A store is served with one kind.
    ///   - tombstoneAge: The time in milliseconds for which the names of changes are kept.
    ///   - clock: Returns the current time in milliseconds since 1970-01-01T00:00:00Z.
    /// - Throws: ``DataStoreError``: `configurationMismatch` if the store was served with the other kind of API.
    package init(
        _ store: DataStore, schema: Schema, source: String, kind: APIKind = .versioned, tombstoneAge: Int64,
        clock: @escaping @Sendable () -> Int64
    ) async throws {
        try await ServerModels.require(kind, in: store)
        models = Dictionary(uniqueKeysWithValues: schema.models.map { ($0.name, $0) })
        self.store = store
        self.source = source
        self.kind = kind
        self.tombstoneAge = tombstoneAge
        self.clock = clock
        time = Mutex(try await ChangeTime(store, Array(models.keys)))
        try await ServerModels.note(source, kind, in: store)
    }

    package func secret(
        named name: String, _ randomBytes: @escaping @Sendable (Int) -> [UInt8]
    ) async throws -> [UInt8] {
        try await store.writeReturning { transaction in
            let id = "secret \(name)"
            if case .list(let bytes)? = try transaction.record(ServerModels.fact, id: RecordID(id))?["bytes"] {
                return bytes.compactMap {
                    if case .int(let byte)? = $0 { UInt8(truncatingIfNeeded: byte) } else { nil }
                }
            }
            let bytes = randomBytes(32)
            let values: [String: FieldValue] = ["id": .string(id), "bytes": .list(bytes.map { .int(Int64($0)) })]
            try transaction.save(Record(model: ServerModels.fact, values: values))
            return bytes
        }.result
    }

    // MARK: One record

    package func record(_ model: String, _ id: RecordID) async throws -> Record? {
        try await store.record(model, id: id)
    }

    package func change(_ changes: [RequestedChange]) async throws -> [Result<StoredChange.Outcome, any Error>] {
        for change in changes { precondition(models[change.model] != nil, "the service changes models of its API") }
        let results = try await writing(.change) { [self] in
            try await store.writeEach(
                requireParents: false, changes.map { change in { [self] in try stage(change, $0) } })
        }
        return results.map { result in
            switch result {
            case .success((let staged, let commit)):
                var outcome = staged.outcome
                guard outcome.kind == .written else { return .success(outcome) }
                note(.change, staged.ceiling, outcome.record)
                outcome.place = commit.first.value
                return .success(outcome)
            case .failure(let error):
                note(.change, failedWith: error)
                return .failure(error)
            }
        }
    }

    /// Stages a change. If its time has passed the stored ceiling of times, the result contains the new ceiling.
    private func stage(
        _ change: RequestedChange, _ transaction: StoreTransaction
    ) throws -> (outcome: StoredChange.Outcome, ceiling: Int64?) {
        // The service has checked the values that a client sent. Other values are decided by the server.
        transaction.checksRules = false
        if let name = change.name, let known = try idOfRecord(changed: name, change.model, transaction) {
            let record = try transaction.record(change.model, id: known)
            return (StoredChange.Outcome(kind: .repeated, record: record), nil)
        }
        let before = try transaction.record(change.model, id: change.id)
        guard let after = Self.changed(before, try change.decide(before)) else {
            return (StoredChange.Outcome(kind: .kept, record: before), nil)
        }
        return try save(after, change, transaction)
    }

    /// The record to write, without its time; `nil` if the record stays unchanged.
    private static func changed(_ before: Record?, _ decision: StoredChange.Decision) -> Record? {
        var record: Record
        switch decision {
        case .keep: return nil
        case .save(let saved):
            record = saved
            record[Metadata.deleted] = nil
        case .delete(let deleted):
            record = deleted
            record[Metadata.deleted] = .bool(true)
        }
        record[Metadata.version] = .int((before?.version ?? 0) + 1)
        return record
    }

    private func save(
        _ record: Record, _ change: RequestedChange, _ transaction: StoreTransaction
    ) throws -> (outcome: StoredChange.Outcome, ceiling: Int64?) {
        var record = record
        let (now, ceiling) = try advance(transaction)
        record[Metadata.lastChangedAt] = .int(now)
        if let fields = change.selected { selections.note(record, id: id(of: record), fields: fields) }
        // The record must be the first event of the commit, because its sequence number is the place of the change.
        try transaction.save(record)
        // The event of the tombstone tells subscribers what was deleted.
        if record.isTombstone, !kind.leavesTombstones {
            try transaction.delete(record.model, id: id(of: record), cascading: false)
        }
        if let name = change.name {
            let answer = StoredAnswer(to: name, model: record.model, id: id(of: record), time: now)
            try transaction.save(answer.record(named: name.text))
        }
        try save(ceiling, transaction)
        return (StoredChange.Outcome(kind: .written, record: record), ceiling)
    }

    /// The id of the record that the change with this name was about; `nil` if the name is unknown or too old.
    private func idOfRecord(
        changed name: StoredChange.Name, _ model: String, _ transaction: StoreTransaction
    ) throws -> RecordID? {
        guard let record = try transaction.record(ServerModels.answer, id: RecordID(name.text)),
            case .int(let time) = record["at"], time >= clock() - tombstoneAge
        else { return nil }
        guard let answer = StoredAnswer(record), answer.answers(name, model),
            let id = answer.id(models[model]?.keyFields ?? [])
        else { throw StoredChange.NameTaken() }
        return id
    }

    // MARK: Time

    package func beginSync() async throws -> Int64 {
        do {
            let (now, ceiling) = try await writing(.ceiling) { [self] in
                try await store.writeReturning(requireParents: false) { [self] transaction in
                    let (now, ceiling) = try advance(transaction)
                    try save(ceiling, transaction)
                    return (now, ceiling)
                }.result
            }
            if ceiling != nil { note(.ceiling, ceiling, nil) }
            return now
        } catch let error as DataStoreError where error.isOfStorage {
            // Changes are committed in the order of their times. So all changes before an acknowledged change are already in
            // the store.
            return time.withLock { $0.acknowledged }
        }
    }

    /// Moves the time of changes forward to the clock's time. This method is called inside a transaction, so that later
    /// transactions get this time or a later one. If the time has passed the stored ceiling, the result contains a new ceiling
    /// to save.
    private func advance(_ transaction: StoreTransaction) throws -> (now: Int64, ceiling: Int64?) {
        time.withLock { ($0.advance(to: clock()), $0.nextCeiling) }
    }

    private func save(_ ceiling: Int64?, _ transaction: StoreTransaction) throws {
        guard let ceiling else { return }
        try transaction.save(
            Record(model: ServerModels.fact, values: ["id": .string(ChangeTime.fact), "number": .int(ceiling)]))
    }

    /// Records that a write has succeeded: the store now has `ceiling` and `record`.
    private func note(_ write: Write, _ ceiling: Int64?, _ record: Record?) {
        // On a full disk, there can be room for a ceiling but not for a change.
        failure.withLock { if write == .change || $0?.write == .ceiling { $0 = nil } }
        time.withLock { time in
            time.ceiling = max(time.ceiling, ceiling ?? 0)
            time.acknowledged = max(time.acknowledged, record?.lastChangedAt ?? 0)
        }
    }

    // MARK: Failures

    private enum Write { case change, ceiling }

    private struct Failure {
        let write: Write
        let error: DataStoreError
    }

    package var writeFailure: DataStoreError? { failure.withLock { $0?.error } }

    /// Writes to the store with `body`. A failure of the store itself is recorded.
    private func writing<Value>(_ write: Write, _ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch {
            note(write, failedWith: error)
            throw error
        }
    }

    /// Records the error of a write, if the store itself failed.
    private func note(_ write: Write, failedWith error: any Error) {
        guard let error = error as? DataStoreError, error.isOfStorage else { return }
        failure.withLock { failure in
            // The failure of a change stays recorded, because a ceiling may be written while there is still no room for a
            // change.
            if write == .change || failure?.write != .change { failure = Failure(write: write, error: error) }
        }
    }

    // MARK: Pages

    package func page(_ query: PageQuery) async throws -> CountedPage {
        try await store.read { try $0.page(query) }
    }

    private func id(of record: Record) -> RecordID {
        RecordID((models[record.model]?.primaryKey ?? []).compactMap { record[$0] })
    }

    package func plan(_ query: PageQuery) async throws -> QueryPlan {
        try await store.plan(query.query.limit(query.limit))
    }

    // MARK: Changes

    package func changes() throws -> any AsyncSequence<StoredChange, any Error> & Sendable {
        let models = Set(self.models.keys)
        return store.events(after: try store.head.sequence).compactMap { [self] event in
            guard let (kind, record) = StoredChange.change(of: event, to: models) else { return nil }
            return StoredChange(
                kind: kind, record: record, place: event.sequence.value,
                selected: selections.fields(of: record, id: id(of: record)))
        }
    }

    @discardableResult
    package func purge(before time: Int64) async throws -> Int {
        var count = 0
        let since = purgedTime.withLock { $0 }
        guard time > since else { return 0 }
        let isOld =
            QueryPredicate.field(Metadata.lastChangedAt, .greaterOrEqual(.int(since)))
            && .field(Metadata.lastChangedAt, .less(.int(time)))
        for model in kind.leavesTombstones ? models.keys.sorted() : [] {
            let isTombstone = QueryPredicate.field(Metadata.deleted, .equal(.bool(true)))
            count += try await store.deleteCounting(
                Record.all(of: model).where(isOld && isTombstone), cascading: false
            ).recordCount
        }
        try await store.delete(
            all: Record.all(of: ServerModels.answer).where(.field("at", .less(.int(time)))), cascading: false)
        purgedTime.withLock { $0 = max($0, time) }
        return count
    }
}

extension DataStoreError {
    /// Whether the store itself failed, rather than the requested operation.
    fileprivate var isOfStorage: Bool {
        [.outcomeUnknown, .poisoned, .storageFull, .inputOutput, .logDamaged, .damaged, .locked].contains(code)
    }
}

extension StoredChange {
    /// The change that `event` made to a record of `models`; `nil` if it made none, or if it purged a tombstone.
    fileprivate static func change(of event: Event, to models: Set<String>) -> (kind: Kind, record: Record)? {
        guard event.kind == .saved, let record = event.record, models.contains(record.model) else { return nil }
        if record.isTombstone { return (.deleted, record) }
        // A record that replaces a tombstone is a new record.
        let isNew = record.version == 1 || event.changedFields.contains(Metadata.deleted)
        return (isNew ? .created : .updated, record)
    }
}

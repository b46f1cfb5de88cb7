/// What `write { tx in … }` hands out: the only thing that can change a store.
///
/// Its reads see its own writes. It is valid inside its closure and on its thread; nothing suspends there.
public final class StoreTransaction {
    let staged: StagedEvents
    let layout: SchemaLayout
    let log: EventLog
    let store: StoreHandle
    let rows: RowsTransaction
    private var flushedCount = 0
    /// Where the member that runs now began.
    private var memberStart = 0
    private var isOpen = false
    /// Whether the member that runs now must leave required parents there; `nil` if that is up to the store.
    var requiresParents: Bool?
    /// Where the group moves consumers to; `nil` for one that it removes.
    var consumerPositions: [String: Position?] = [:]

    init(
        staged: StagedEvents, log: EventLog, rows: RowsTransaction, layout: SchemaLayout, store: StoreHandle
    ) {
        self.staged = staged
        self.log = log
        self.layout = layout
        self.rows = rows
        self.store = store
    }

    // MARK: Members of a group

    /// Runs one member of the group. Where it throws, only what it staged is taken back.
    func run(_ body: (StoreTransaction) throws -> Void) throws -> Range<Int> {
        memberStart = staged.count
        staged.beginCommit()
        let consumersBefore = consumerPositions
        requiresParents = nil
        isOpen = true
        defer { isOpen = false }
        do {
            try body(self)
            guard remainingEventCount >= 0 else { throw tooLarge() }
            try checkParents()
            try checkPartners()
            return memberStart..<staged.count
        } catch {
            consumerPositions = consumersBefore
            try takeBack(to: memberStart)
            throw error
        }
    }

    private func takeBack(to index: Int) throws {
        staged.truncate(to: index)
        guard flushedCount > index else { return }
        flushedCount = 0
        do {
            try rows.restart()
            try flush()
        } catch {
            throw GroupFailure(underlying: error)
        }
    }

    /// Puts staged rows into the adapter's transaction, so that set queries see them.
    func flush() throws {
        guard flushedCount < staged.count else { return }
        try rows.apply(staged, from: flushedCount)
        flushedCount = staged.count
    }

    /// The staged events of the member that runs now.
    var memberEvents: Range<Int> { memberStart..<staged.count }

    /// Whether something of the member that runs now is in the adapter's transaction already.
    var hasFlushedMember: Bool { flushedCount > memberStart }

    /// How many events the member may still stage.
    var remainingEventCount: Int { Limits.commitEventCount - (staged.count - memberStart) }

    func tooLarge() -> DataStoreError { .transactionTooLarge }

    // MARK: What the public extensions build on

    func requireOpen() {
        precondition(isOpen, "a transaction is used only inside the closure that it was handed to")
    }

    func model(named name: String) throws -> ModelLayout { try layout.required(name) }

    /// The record's row as this transaction sees it, `nil` if it has none. Valid until the next call.
    func currentRow(_ key: UnsafeRawBufferPointer, _ model: ModelLayout) throws -> StoredRow? {
        if let index = staged.latest(of: key, model: model.number) {
            return try staged.row(at: index).map {
                StoredRow(key: key, sequence: SequenceNumber(staged.sequence(at: index)), row: $0)
            }
        }
        return try rows.get(key, in: model)
    }

    /// Stages a save whose row `encode` writes, if the record's present row passes `check`.
    @inline(__always)
    func stageSave(
        _ model: ModelLayout, _ condition: WriteCondition, origin: Origin = .local,
        _ encode: (inout RowEncoder) throws -> Void
    ) throws {
        requireOpen()
        if model.isView { return try stageRetaining(model, knowing: model.row, condition, origin, encode) }
        if staged.count - memberStart >= Limits.commitEventCount { throw tooLarge() }
        var header = EventHeader(kind: .saved, schemaVersion: layout.schema.version)
        if origin == .remote { header.flags.insert(.remote) }
        // Only a plain save need not know the row before: it is looked up in key order when the group is flushed.
        guard condition.needsRow else {
            _ = try staged.stageRow(model, header: header, encode)
            return
        }
        let compiled = try condition.filter(for: model)
        let priorCount = staged.count
        let index = try staged.stageRow(model, header: header, sections: condition.sections, encode)
        do {
            try check(condition, compiled, index: index, model)
        } catch {
            staged.truncate(to: priorCount)
            throw error
        }
    }

    /// Checks a condition against the row before the one just staged at `index`.
    private func check(
        _ condition: WriteCondition, _ filter: RowPredicate?, index: Int, _ model: ModelLayout
    ) throws {
        let key = staged.key(at: index)
        let prior = Int(staged.events[index].prior)
        let row = prior >= 0 ? try staged.row(at: prior) : try rows.get(key, in: model)?.row
        let id = { [staged] in try? staged.row(at: index).map { row in try model.recordID(of: row) } }
        switch (condition, row) {
        case (.none, _), (.insert, nil), (.update, .some): break
        case (.insert, .some):
            throw DataStoreError(
                .alreadyExists, "The record of \(model.name) exists.", model: model.name, recordID: id() ?? nil,
                recovery: "Use `update`, or `save`, which inserts or updates.")
        case (.update, nil):
            throw DataStoreError(
                .notFound, "There is no record of \(model.name) to update.", model: model.name, recordID: id() ?? nil,
                recovery: "Use `insert`, or `save`, which inserts or updates.")
        case (.predicate, let row):
            guard let row, let filter, try filter.evaluate(row) else {
                throw conditionFailed(model, exists: row != nil, id: id() ?? nil)
            }
        }
    }

    private func conditionFailed(_ model: ModelLayout, exists: Bool, id: RecordID?) -> DataStoreError {
        DataStoreError(
            .conditionFailed,
            exists
                ? "The condition on the record of \(model.name) is false."
                : "There is no record of \(model.name) to check the condition on.",
            model: model.name, recordID: id, recovery: "Read the record again, then decide.")
    }

    /// Stages the deletion of the record under `key`, and of what belongs to it; returns whether there was one.
    func stageDelete(
        _ key: UnsafeRawBufferPointer, _ model: ModelLayout, condition: QueryPredicate = .all, cascading: Bool = true
    ) throws -> Bool {
        requireOpen()
        let model = model.stored
        // A record that is not there is as good as deleted, whatever was to hold of it.
        guard let row = try currentRow(key, model) else { return false }
        let sections = try check(condition, on: row, of: model)
        if cascading, !layout.relations.cascading(from: model).isEmpty {
            try stageDeletes(of: model, under: [Array(key)], cascading: true, sections: sections)
        } else {
            try stageDeletion(key, model, sections)
        }
        return true
    }

    /// Checks the condition of a deletion; returns what its event says of it.
    func check(_ condition: QueryPredicate, on row: StoredRow, of model: ModelLayout) throws -> EventSections? {
        guard condition != .all else { return nil }
        guard try RowPredicate(condition, for: model).evaluate(row.row) else {
            throw conditionFailed(model, exists: true, id: try? model.recordID(of: row.row))
        }
        return EventSections(condition: condition.text)
    }

    /// Stages the deletion of the record under `key`, which is there, alone.
    func stageDeletion(_ key: UnsafeRawBufferPointer, _ model: ModelLayout, _ sections: EventSections?) throws {
        if remainingEventCount <= 0 { throw tooLarge() }
        _ = try staged.stage(
            model, key: key, header: EventHeader(kind: .deleted, schemaVersion: layout.schema.version),
            sections: sections)
    }
}

/// What must hold of the record before a save.
enum WriteCondition {
    case none
    case insert
    case update
    case predicate(QueryPredicate)

    /// `.all` means no condition.
    init(_ predicate: QueryPredicate) { self = predicate == .all ? .none : .predicate(predicate) }

    var needsRow: Bool {
        if case .none = self { return false }
        return true
    }

    var sections: EventSections? {
        if case .predicate(let predicate) = self { return EventSections(condition: predicate.text) }
        return nil
    }

    func filter(for model: ModelLayout) throws -> RowPredicate? {
        if case .predicate(let predicate) = self { return try RowPredicate(predicate, for: model) }
        return nil
    }
}

/// A failure of the whole group, not of one member: the adapter no longer answers.
struct GroupFailure: Error {
    let underlying: any Error
}

extension SchemaLayout {
    package func required(_ name: String) throws -> ModelLayout {
        guard let model = model(named: name) else {
            throw DataStoreError(
                .unknownModel, "The store's schema has no model \(name).", model: name,
                recovery: "Models: \(models.map(\.name).joined(separator: ", ")).")
        }
        return model
    }
}

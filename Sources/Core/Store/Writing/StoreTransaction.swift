/// A transaction, as `write { tx in … }` passes it to its closure. Only a transaction can change a store.
///
/// Reads through a transaction see its own changes. A transaction is valid inside its closure and on the closure's
/// thread. The closure cannot suspend.
public final class StoreTransaction: StoreReader {
    let staged: StagedEvents
    let log: EventLog
    let rows: RowsTransaction
    /// The index of the first staged event of the present member.
    private var memberStart = 0
    private var isOpen = false
    /// Whether required parents of the present member's records must exist. With `nil`, the store decides.
    var requiresParents: Bool?
    /// Whether local saves of the present member are checked against the rules of fields.
    package var checksRules = true
    /// The new positions of consumers in this group. A consumer with the value `nil` is removed.
    var consumerPositions: [String: Position?] = [:]

    init(staged: StagedEvents, log: EventLog, rows: RowsTransaction, layout: SchemaLayout, store: StoreHandle) {
        self.staged = staged
        self.log = log
        self.rows = rows
        super.init(layout: layout, store: store)
    }

    // MARK: Members of a group

    /// Runs one member of the group. If it throws an error, only its own staged events are removed.
    func run(_ body: (StoreTransaction) throws -> Void) throws -> Range<Int> {
        precondition(!isOpen, "the members of a group run one after the other")
        memberStart = staged.count
        staged.beginCommit()
        let consumersBefore = consumerPositions
        requiresParents = nil
        checksRules = true
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
        do { try rows.takeBack(to: index) } catch { throw GroupFailure(underlying: error) }
    }

    /// The staged events of the present member.
    var memberEvents: Range<Int> { memberStart..<staged.count }

    /// Whether rows of the present member are already in the adapter's transaction.
    var hasAppliedMember: Bool { rows.hasApplied(from: memberStart) }

    /// How many events the member may still stage.
    var remainingEventCount: Int { Limits.commitEventCount - (staged.count - memberStart) }

    func tooLarge() -> DataStoreError { .transactionTooLarge }

    // MARK: The basis of the public extensions

    func requireOpen() {
        precondition(isOpen, "a transaction is used only inside the closure that it was handed to")
    }

    func model(named name: String) throws -> ModelLayout { try layout.required(name) }

    override func visibleRows() throws -> any AdapterReader {
        requireOpen()
        return try rows.applyStaged()
    }

    override func row(under key: UnsafeRawBufferPointer, in model: ModelLayout) throws -> StoredRow? {
        requireOpen()
        return try currentRow(key, model)
    }

    /// The row of the record as this transaction sees it, `nil` if there is none. The row is valid until the next call.
    func currentRow(_ key: UnsafeRawBufferPointer, _ model: ModelLayout) throws -> StoredRow? {
        if let index = staged.latest(of: key, model: model.number) {
            return try staged.row(at: index).map {
                StoredRow(key: key, sequence: SequenceNumber(staged.sequence(at: index)), row: $0)
            }
        }
        return try rows.get(key, in: model)
    }

    /// Stages a save if the record's present row satisfies `condition`. The closure `encode` writes the new row.
    @inline(__always)
    func stageSave(
        _ model: ModelLayout, _ condition: WriteCondition, origin: Origin = .local,
        _ encode: (inout RowEncoder) throws -> Void
    ) throws {
        requireOpen()
        if model.isView { return try stageRetaining(model, knowing: model.row, if: condition, origin: origin, encode) }
        if staged.count - memberStart >= Limits.commitEventCount { throw tooLarge() }
        var header = EventHeader(kind: .saved, schemaVersion: layout.schema.version)
        if origin == .remote { header.flags.insert(.remote) }
        // A plain save does not need the present row here. The row is looked up later, in key order, when the group is
        // prepared.
        guard condition.needsRow else {
            let index = try staged.stageRow(model, header: header, encode)
            if !model.row.ruledFields.isEmpty, origin == .local { try checkRules(at: index, model) }
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
        if !model.row.ruledFields.isEmpty, origin == .local { try checkRules(at: index, model) }
    }

    /// Checks a condition against the row that the record had before the event at `index` was staged.
    private func check(_ condition: WriteCondition, _ filter: RowPredicate?, index: Int, _ model: ModelLayout) throws {
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

    /// Stages the deletion of the record under `key` and the records that belong to it. Returns whether there was such
    /// a record.
    func stageDelete(
        _ key: UnsafeRawBufferPointer, _ model: ModelLayout, condition: QueryPredicate = .all, cascading: Bool = true
    ) throws -> Bool {
        requireOpen()
        let model = model.stored
        // A record that does not exist counts as deleted, even if there is a condition.
        guard let row = try currentRow(key, model) else { return false }
        let sections = try check(condition, on: row, of: model)
        if cascading, !layout.relations.cascading(from: model).isEmpty {
            try stageDeletes(of: model, under: [Array(key)], cascading: true, sections: sections)
        } else {
            try stageDeletion(key, model, sections)
        }
        return true
    }

    /// Checks the condition of a deletion. Returns the sections of the deletion's event.
    func check(_ condition: QueryPredicate, on row: StoredRow, of model: ModelLayout) throws -> EventSections? {
        guard condition != .all else { return nil }
        guard try RowPredicate(condition, for: model).evaluate(row.row) else {
            throw conditionFailed(model, exists: true, id: try? model.recordID(of: row.row))
        }
        return EventSections(condition: condition.text)
    }

    /// Stages only the deletion of the record under `key`, which must exist.
    func stageDeletion(_ key: UnsafeRawBufferPointer, _ model: ModelLayout, _ sections: EventSections?) throws {
        assert(!key.isEmpty, "a record has a key")
        if remainingEventCount <= 0 { throw tooLarge() }
        _ = try staged.stage(
            model, key: key, header: EventHeader(kind: .deleted, schemaVersion: layout.schema.version),
            sections: sections)
    }

    /// The condition of a save.
    enum WriteCondition {
        case none
        case insert
        case update
        case predicate(QueryPredicate)

        /// Creates a condition from a predicate. The predicate `.all` means no condition.
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

    /// An error of the whole group, and not of one member. It means that the adapter has failed.
    struct GroupFailure: Error {
        let underlying: any Error
    }
}

extension SchemaLayout {
    package func required(_ name: String) throws -> ModelLayout {
        guard let model = model(named: name) else {
            throw DataStoreError.unknownModel(name, of: "The store's schema", among: models.map(\.name))
        }
        return model
    }
}

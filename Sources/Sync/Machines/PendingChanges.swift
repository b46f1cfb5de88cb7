package import TidelogCore

/// One event of the log, as far as the sync engine goes by it.
package struct LogEntry: Sendable {
    /// The meaning of an event for the sync engine.
    package enum Content: Sendable {
        /// A change that was made here.
        case change(PendingChange)
        /// The server's record arrived and is visible from then on, or it left the scope.
        case visible(RecordReference)
        /// The server's record arrived while changes were pending, so it is not visible.
        case shadowed(ServerRecord)
        /// A change was set aside, or a later change joined it.
        case setAside(SetAsideChange)
        /// The change that was set aside under the number of its first event was tried again or given up.
        case decided(SequenceNumber)
        /// Nothing.
        case other
    }

    /// The place after the event.
    package var position: Position
    /// The meaning of the event.
    package var content: Content
    /// The mutation that the event answers, and the record that the mutation was about.
    package var answer: (reference: RecordReference, mutation: MutationID)?

    package init(
        _ position: Position, _ content: Content, answer: (reference: RecordReference, mutation: MutationID)? = nil
    ) {
        (self.position, self.content, self.answer) = (position, content, answer)
    }
}

/// The changes that have no response yet, by record. One reading of the log from the outbox's position makes the index.
package struct PendingChanges: Sendable {
    private struct Pending: Sendable {
        var changes: [PendingChange] = []
        /// The server's latest record, if it came while changes were pending.
        var shadow: ServerRecord?
        /// The set-aside change that the record's row still has.
        var held: SetAsideChange?
    }

    private var records: [RecordReference: Pending] = [:]
    /// Every change that was noticed, in the order of the log; those before `orderStart` are answered.
    private var order: [(sequence: SequenceNumber, placeBefore: Position, reference: RecordReference)] = []
    private var orderStart = 0
    /// The records whose rows have a set-aside change, by the first event of the change.
    private var heldRecords: [SequenceNumber: RecordReference] = [:]
    /// Whether no server has answered anything yet, so that every record is new to the server.
    private var isFirstUpload: Bool
    /// The place after the last event that was read.
    package private(set) var head: Position
    /// How many changes are pending, those in flight among them.
    package private(set) var count = 0

    /// An index that is to be read from the outbox's position.
    ///
    /// - Parameter held: The set-aside changes that their records' rows still have.
    package init(after position: Position, held: [SetAsideChange] = []) {
        head = position
        isFirstUpload = position == .start
        for change in held {
            assert(change.holdsRow, "a change that the row does not have holds nothing")
            records[change.reference, default: Pending()].held = change
            heldRecords[change.first] = change.reference
        }
    }

    // MARK: Reading the log

    /// Adds the next event of the log.
    package mutating func append(_ entry: LogEntry) {
        assert(entry.position.sequence > head.sequence, "events are read in order")
        head = entry.position
        switch entry.content {
        case .change(let change):
            if let held = records[change.reference]?.held, change.sequence <= held.last { break }
            records[change.reference, default: Pending()].changes.append(change)
            order.append((change.sequence, change.placeBefore, change.reference))
            count += 1
        case .visible(let reference):
            // The row shows what the server has only if nothing before it waits for a response.
            answer(reference, through: entry.position.sequence)
            records[reference]?.shadow = nil
        case .shadowed(let record): records[record.reference]?.shadow = record
        case .setAside(let change):
            if change.holdsRow {
                hold(change.reference, change)
            } else {
                answer(change.reference, through: change.last)
            }
        case .decided(let first):
            if let reference = heldRecords.removeValue(forKey: first) { hold(reference, nil) }
        case .other: break
        }
        if let answer = entry.answer { self.answer(answer.reference, through: answer.mutation.sequence) }
        forget(entry.answer?.reference)
        passAnswered()
    }

    /// Takes note of the server's latest record, which is not visible as a set-aside change holds the row.
    package mutating func note(_ shadow: ServerRecord) { records[shadow.reference]?.shadow = shadow }

    /// Takes note that the changes of a record up to `sequence` have their response.
    package mutating func answer(_ reference: RecordReference, through sequence: SequenceNumber) {
        guard var pending = records[reference] else { return }
        let answered = pending.changes.prefix { $0.sequence <= sequence }.count
        count -= answered
        pending.changes.removeFirst(answered)
        records[reference] = pending
        forget(reference)
    }

    private mutating func forget(_ reference: RecordReference?) {
        guard let reference, let pending = records[reference], pending.changes.isEmpty, pending.held == nil else {
            return
        }
        records[reference] = nil
    }

    // MARK: Pending changes

    /// The records with pending or set-aside changes: first those with pending changes, in the order of the log.
    package var references: [RecordReference] {
        var seen: Set<RecordReference> = []
        let pending = order[orderStart...].filter { isPending($0) && seen.insert($0.reference).inserted }.map(
            \.reference)
        return pending + heldRecords.sorted { $0.key < $1.key }.map(\.value).filter { seen.insert($0).inserted }
    }

    /// The oldest pending change; `nil` if none is pending.
    package var oldest: PendingChange? {
        for entry in order[orderStart...] where isPending(entry) {
            return records[entry.reference]?.changes.first { $0.sequence == entry.sequence }
        }
        return nil
    }

    /// The pending changes of a record, the oldest first.
    package func changes(of reference: RecordReference) -> [PendingChange] { records[reference]?.changes ?? [] }

    /// Whether the record's row has something that the server does not: pending changes or a set-aside one.
    package func holdsRow(of reference: RecordReference) -> Bool { records[reference] != nil }

    /// Whether changes of the record are pending after `sequence`, or a set-aside change holds its row.
    package func holdsRow(of reference: RecordReference, after sequence: SequenceNumber) -> Bool {
        guard let pending = records[reference] else { return false }
        return pending.held != nil || (pending.changes.last.map { $0.sequence > sequence } ?? false)
    }

    /// The server's latest record, if it came while changes of the record were pending.
    package func shadow(of reference: RecordReference) -> ServerRecord? { records[reference]?.shadow }

    /// The set-aside change that the record's row still has.
    package func held(_ reference: RecordReference) -> SetAsideChange? { records[reference]?.held }

    /// The record that is held by the set-aside change with this first event.
    package func held(at first: SequenceNumber) -> RecordReference? { heldRecords[first] }

    private mutating func hold(_ reference: RecordReference, _ change: SetAsideChange?) {
        if let former = records[reference]?.held { heldRecords[former.first] = nil }
        records[reference, default: Pending()].held = change
        if let change {
            heldRecords[change.first] = reference
            answer(reference, through: change.last)
        }
        forget(reference)
    }

    /// Whether the record is new and the server has not answered its creation yet.
    package func awaitsCreation(_ reference: RecordReference) -> Bool {
        guard let pending = records[reference], pending.held == nil else { return false }
        return pending.changes.first.map { $0.kind == .create || isFirstUpload && $0.kind == .update } ?? false
    }

    /// The record that the pending change at `sequence` is about; `nil` if no change is pending there.
    package func reference(at sequence: SequenceNumber) -> RecordReference? {
        let index = order.firstIndex { $0.sequence >= sequence }
        guard let index, order[index].sequence == sequence, isPending(order[index]) else { return nil }
        return order[index].reference
    }

    /// The place up to which every change has its response: the place before the oldest pending change, else the place of
    /// the last event read.
    ///
    /// - Parameter answered: A record whose changes up to a place count as answered.
    package mutating func position(
        answering answered: (reference: RecordReference, through: SequenceNumber)? = nil
    ) -> Position {
        passAnswered()
        for entry in order[orderStart...] where isPending(entry) {
            if let answered, answered.reference == entry.reference, entry.sequence <= answered.through { continue }
            return entry.placeBefore
        }
        return head
    }

    private mutating func passAnswered() {
        while orderStart < order.count, !isPending(order[orderStart]) { orderStart += 1 }
        if orderStart > 1_024, orderStart > order.count / 2 {
            order.removeFirst(orderStart)
            orderStart = 0
        }
    }

    /// The index of these records alone. It has the same position as the whole index, and is small enough to be kept during
    /// a write.
    package func excerpt(of references: [RecordReference]) -> PendingChanges {
        var excerpt = PendingChanges(after: head)
        excerpt.isFirstUpload = isFirstUpload
        for reference in references {
            guard let pending = records[reference], excerpt.records[reference] == nil else { continue }
            excerpt.add(reference, pending)
        }
        let next = order[orderStart...].first { isPending($0) && excerpt.records[$0.reference] == nil }
        if let next, let pending = records[next.reference] { excerpt.add(next.reference, pending) }
        excerpt.order.sort { $0.sequence < $1.sequence }
        return excerpt
    }

    private mutating func add(_ reference: RecordReference, _ pending: Pending) {
        records[reference] = pending
        order += pending.changes.map { ($0.sequence, $0.placeBefore, reference) }
        count += pending.changes.count
        if let held = pending.held { heldRecords[held.first] = reference }
    }

    private func isPending(
        _ entry: (sequence: SequenceNumber, placeBefore: Position, reference: RecordReference)
    ) -> Bool { records[entry.reference]?.changes.first.map { $0.sequence <= entry.sequence } ?? false }
}

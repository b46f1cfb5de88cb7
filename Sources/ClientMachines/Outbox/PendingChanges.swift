package import TidelogSchema

/// An index of the changes without a response, by record. It is made by reading the log once from the outbox's position.
package struct PendingChanges: Sendable {
    private struct Pending: Sendable {
        var changes: [PendingChange] = []
        private var rest: Rest?

        /// Few records have these values, so that they are kept outside of the index.
        private indirect enum Rest: Sendable {
            case values(shadow: ServerRecord?, held: SetAsideChange?)
        }

        /// The server's latest record, if it came while changes were pending.
        var shadow: ServerRecord? {
            get { if case .values(let shadow, _)? = rest { shadow } else { nil } }
            set { note(newValue, held) }
        }

        /// The set-aside change that is still in the record's row.
        var held: SetAsideChange? {
            get { if case .values(_, let held)? = rest { held } else { nil } }
            set { note(shadow, newValue) }
        }

        private mutating func note(_ shadow: ServerRecord?, _ held: SetAsideChange?) {
            rest = shadow == nil && held == nil ? nil : .values(shadow: shadow, held: held)
        }

        var isOver: Bool { changes.isEmpty && held == nil }
    }

    private var records: [RecordReference: Pending] = [:]
    /// All changes that were read, in the order of the log. The changes before `orderStart` have their response.
    private var order: [(sequence: SequenceNumber, placeBefore: Position, reference: RecordReference)] = []
    private var orderStart = 0
    /// The records whose rows contain a set-aside change, by the first event of the change.
    private var heldRecords: [SequenceNumber: RecordReference] = [:]
    /// Whether no server has ever answered, so that every record is new to the server.
    private var isFirstUpload: Bool
    /// The place after the last event that was read.
    package private(set) var head: Position
    /// How many changes are pending, including the changes in flight.
    package private(set) var count = 0

    /// Makes an empty index. The log must be read into it from the outbox's position.
    ///
    /// - Parameter held: The set-aside changes that are still in the rows of their records.
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
            // The row shows the server's record only if no earlier change waits for a response.
            answer(reference, through: entry.position.sequence)
            records[reference]?.shadow = nil
        case .shadowed(let record): records[record.reference]?.shadow = record
        case .setAside(let change):
            if change.holdsRow {
                hold(change.reference, change)
                // The change was noted with the server's record as of now.
                records[change.reference]?.shadow = nil
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

    /// Records the server's latest record, which came after a change was set aside and is not visible because of that change.
    package mutating func note(_ shadow: ServerRecord) { records[shadow.reference]?.shadow = shadow }

    /// Records that the changes of a record up to `sequence` have their response.
    package mutating func answer(_ reference: RecordReference, through sequence: SequenceNumber) {
        guard let index = records.index(forKey: reference) else { return }
        let answered = records.values[index].changes.prefix { $0.sequence <= sequence }.count
        count -= answered
        assert(count >= 0, "a change is answered once")
        records.values[index].changes.removeFirst(answered)
        if records.values[index].isOver { records.remove(at: index) }
    }

    private mutating func forget(_ reference: RecordReference?) {
        if let reference, records[reference]?.isOver ?? false { records[reference] = nil }
    }

    // MARK: Pending changes

    /// The records with pending or set-aside changes: first the records with pending changes, in the order of the log.
    package var references: [RecordReference] {
        var references: [RecordReference] = []
        references.reserveCapacity(records.count)
        // A record has one oldest change.
        for entry in order[orderStart...] where records[entry.reference]?.changes.first?.sequence == entry.sequence {
            references.append(entry.reference)
        }
        return references + heldReferences.filter { records[$0]?.changes.isEmpty ?? true }
    }

    /// The records whose rows contain set-aside changes, in the order of these changes in the log.
    package var heldReferences: [RecordReference] { heldRecords.sorted { $0.key < $1.key }.map(\.value) }

    /// The oldest pending change; `nil` if none is pending.
    package var oldest: PendingChange? {
        for entry in order[orderStart...] where isPending(entry) {
            return records[entry.reference]?.changes.first { $0.sequence == entry.sequence }
        }
        return nil
    }

    /// Whether no change is pending, and no row contains a set-aside change.
    package var isEmpty: Bool { records.isEmpty }

    /// The pending changes of a record, the oldest first.
    package func changes(of reference: RecordReference) -> [PendingChange] { records[reference]?.changes ?? [] }

    /// Whether the record's row has data that the server does not have: pending changes, or a set-aside change.
    package func holdsRow(of reference: RecordReference) -> Bool { records[reference] != nil }

    /// Whether the record has pending changes after `sequence`, or its row contains a set-aside change.
    package func holdsRow(of reference: RecordReference, after sequence: SequenceNumber) -> Bool {
        guard let pending = records[reference] else { return false }
        return pending.held != nil || (pending.changes.last.map { $0.sequence > sequence } ?? false)
    }

    /// The server's latest record, if it came while changes were pending, and after a change was set aside.
    package func shadow(of reference: RecordReference) -> ServerRecord? { records[reference]?.shadow }

    /// The set-aside change that is still in the record's row.
    package func held(_ reference: RecordReference) -> SetAsideChange? { records[reference]?.held }

    /// The record whose row contains the set-aside change with this first event.
    package func held(at first: SequenceNumber) -> RecordReference? { heldRecords[first] }

    private mutating func hold(_ reference: RecordReference, _ change: SetAsideChange?) {
        assert(change.map { $0.holdsRow && $0.reference == reference } ?? true, "a row holds a change of its record")
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

    /// The record of the pending change at `sequence`; `nil` if no change is pending there.
    package func reference(at sequence: SequenceNumber) -> RecordReference? {
        // The changes are in the order of the log.
        var (low, high) = (orderStart, order.count)
        while low < high {
            let middle = (low + high) / 2
            if order[middle].sequence < sequence { low = middle + 1 } else { high = middle }
        }
        guard low < order.count, order[low].sequence == sequence, isPending(order[low]) else { return nil }
        return order[low].reference
    }

    /// The place up to which every change has its response. It is the place before the oldest pending change, or the place of
    /// the last event that was read if no change is pending.
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

    /// An index of these records alone. It has the same position as the whole index, and is small enough to be kept during a
    /// write.
    package func excerpt(of references: [RecordReference]) -> PendingChanges {
        var excerpt = PendingChanges(after: head)
        excerpt.isFirstUpload = isFirstUpload
        for reference in references {
            guard let pending = records[reference], excerpt.records[reference] == nil else { continue }
            excerpt.add(reference, pending)
        }
        assert(excerpt.count <= count, "an excerpt has no change of its own")
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

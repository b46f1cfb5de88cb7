/// One change of one record, as ``DataStore/observe(_:where:)-(Value.Type,_)`` tells it.
///
/// `Value` is the model's type, or ``Record``.
public struct Change<Value: Sendable>: Sendable {
    /// What happens to records.
    public enum Kind: String, Sendable, Hashable {
        /// The record was saved: it is new, or replaces what it was.
        case saved
        /// The record was deleted.
        case deleted
        /// The record is no longer among those that are synced, and was removed here.
        case leftScope
    }

    /// What happened.
    public let kind: Kind
    /// Whether the change was made here or came from a server.
    public let origin: Origin
    /// The event that says so.
    public let sequence: SequenceNumber
    /// The first event of the commit that the change is part of: equal for changes that were made together.
    public let commit: SequenceNumber
    /// Whether the record is new: there was none with its id before the change.
    public let isNew: Bool
    /// The record's id; of a record that is gone, as ``Event/recordID`` says.
    public let recordID: RecordID
    /// The record after the change, `nil` if it is gone.
    public let value: Value?
    /// The names of the fields that differ from what they were, in declaration order; for a new record those that have a
    /// value, for one that is gone none. Empty for a save that changes nothing.
    public let changedFields: [String]
}

extension Change: Equatable where Value: Equatable {}

/// What an observer of one model wants to know.
struct ChangeFilter: Sendable {
    let model: ModelLayout
    let filter: RowPredicate

    /// The change that `event`, which `reader` shows, is; `nil` if it is none, or none of this observer's.
    func change<Value>(
        _ event: EventView, _ reader: LogReader, _ log: FollowedLog, decode: (RowView, ModelLayout) throws -> Value
    ) throws -> Change<Value>? {
        guard event.changesRow, event.modelNumber == model.number else { return nil }
        let row = try event.row.map { bytes throws(RowDamage) in try RowView(bytes) }
        if let row, try !filter.evaluate(row) { return nil }
        let changed = event.changedFields
        return Change(
            kind: event.kind == .leftScope ? .leftScope : (row == nil ? .deleted : .saved), origin: event.origin,
            sequence: event.sequence, commit: event.commitFirst,
            // A key never changes: it counts as changed of a record that was not there.
            isNew: row != nil && model.keyFields.first.map { changed.contains($0.slot) } ?? false,
            recordID: try row.map { row throws(RowDamage) in try model.recordID(of: row) }
                ?? formerID(of: event, reader, log),
            value: try row.map { try decode($0, model) },
            changedFields: row == nil ? [] : model.row.fields.filter { changed.contains($0.slot) }.map(\.name))
    }

    /// The id of the record of `event`, which leaves no row.
    private func formerID(of event: EventView, _ reader: LogReader, _ log: FollowedLog) throws -> RecordID {
        let former =
            model.hasTemporalKey
            ? try log.formerID(under: Array(event.key), of: model, before: event.previous, find: reader.event) : nil
        return try former ?? model.recordID(ofKey: event.key)
    }
}

/// The changes of one model's records, in order, as they come: what `observe` returns.
///
/// It begins where the log ended when it was made, whenever its iteration begins. Each iteration reads on its own, in
/// chunks, and only when it is asked for the next change. A receiver that takes its time holds up nobody and takes no
/// memory. A cancelled task's iteration ends without an error.
public struct ChangeStream<Value: Sendable>: AsyncSequence, Sendable {
    /// A change of one record.
    public typealias Element = Change<Value>

    private let source: Result<(cursor: EventCursor, filter: ChangeFilter), any Error>
    private let decode: @Sendable (RowView, ModelLayout) throws -> Value

    init(
        decode: @escaping @Sendable (RowView, ModelLayout) throws -> Value,
        _ source: () throws -> (cursor: EventCursor, filter: ChangeFilter)
    ) {
        self.source = Result(catching: source)
        self.decode = decode
    }

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(
            changes: EndingCursor(source.map(\.cursor)) { [source, decode] event, reader, log in
                try source.get().filter.change(event, reader, log, decode: decode)
            })
    }

    /// Reads the changes one after the other.
    public struct Iterator: AsyncIteratorProtocol {
        var changes: EndingCursor<Change<Value>>

        /// The next change; waits for it if there is none yet. `nil` once the task is cancelled.
        ///
        /// - Throws: ``DataStoreError``: `closed`, `storeCleared`, `lagged`, `logDamaged`, `newerFormat`.
        public mutating func next() async throws -> Change<Value>? { try await changes.next() }
    }
}

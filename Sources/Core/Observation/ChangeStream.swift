/// The changes of one model's records, in order, as they happen. `changes(of:)` returns this sequence.
///
/// The sequence starts at the log's head at the time when it was made, even if its iteration begins later. Each iteration reads
/// independently, in chunks, and only when the next change is requested. A slow receiver delays no other code, and unread
/// changes take no memory. The iteration of a cancelled task ends without an error.
public struct ChangeStream<Value: Fetchable>: AsyncSequence, Sendable {
    /// A change of one record.
    public typealias Element = Change<Value>

    private let source: Result<(cursor: EventCursor, filter: ChangeFilter), any Error>
    private let store: StoreHandle

    init(store: StoreHandle, _ source: () throws -> (cursor: EventCursor, filter: ChangeFilter)) {
        self.source = Result(catching: source)
        self.store = store
    }

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(
            changes: EndingCursor(source.map(\.cursor)) { [source, store] event, reader, log in
                try source.get().filter.change(event, reader, log) { try Value.decoded($0, $1, store: store) }
            })
    }

    /// Reads the changes in order.
    public struct Iterator: AsyncIteratorProtocol {
        var changes: EndingCursor<Change<Value>>

        /// The next change. Waits if there is none yet. Returns `nil` after the task was cancelled.
        ///
        /// - Throws: ``DataStoreError``: `closed`, `storeCleared`, `lagged`, `logDamaged`, `newerFormat`.
        public mutating func next() async throws -> Change<Value>? { try await changes.next() }
    }
}

/// The model and the condition of an observer.
struct ChangeFilter: Sendable {
    let model: ModelLayout
    let filter: RowPredicate

    /// The change that `event` made, or `nil` if it is not a change that this observer wants. `reader` shows the event.
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
            // A key never changes. It counts as changed only if the record did not exist before.
            isNew: row != nil && model.keyFields.first.map { changed.contains($0.slot) } ?? false,
            recordID: try row.map { row throws(RowDamage) in try model.recordID(of: row) }
                ?? formerID(of: event, reader, log),
            value: try row.map { try decode($0, model) },
            changedFields: row == nil ? [] : model.row.fields.filter { changed.contains($0.slot) }.map(\.name))
    }

    /// The id of the record that `event` removed.
    private func formerID(of event: EventView, _ reader: LogReader, _ log: FollowedLog) throws -> RecordID {
        let former =
            model.hasTemporalKey
            ? try log.formerID(under: Array(event.key), of: model, before: event.previous, find: reader.event) : nil
        return try former ?? model.recordID(ofKey: event.key)
    }
}

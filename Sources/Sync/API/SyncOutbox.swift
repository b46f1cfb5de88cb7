@_spi(Adapters) public import TidelogCore

/// The local changes of a store that no server has accepted yet. Some wait to be sent, and some were set aside.
///
/// ```swift
/// let outbox = try SyncOutbox(store)
/// for entry in try await outbox.entries() where entry.state == .setAside {
///     print(entry.model, entry.id, entry.reason ?? "")
///     try await outbox.discard(entry.sequence)
/// }
/// ```
///
/// The outbox works with and without an engine that syncs the store.
public struct SyncOutbox: Sendable {
    private let syncStore: SyncStore

    /// The outbox of `store`.
    ///
    /// - Throws: ``DataStoreError`` with the code `closed`.
    public init(_ store: DataStore) throws {
        let layout = try store.layout
        syncStore = SyncStore(store, SyncModels(layout.code ?? layout.schema.declared))
    }

    /// The changes in the order in which they are sent. Set-aside changes come last, the oldest first.
    ///
    /// - Throws: ``DataStoreError``.
    public func entries() async throws -> [OutboxEntry] {
        let contents = try await syncStore.contents()
        var marks: [RecordReference: (mark: SentMark, tries: FailedTries?)] = [:]
        for (slot, mark) in contents.marks {
            guard let reference = contents.pending.reference(at: mark.first) else { continue }
            marks[reference] = (mark, contents.tries[slot].flatMap { $0.first == mark.first ? $0 : nil })
        }
        var entries: [OutboxEntry] = []
        // Later changes of a record with a set-aside change belong to the set-aside change.
        for reference in contents.pending.references where contents.pending.held(reference) == nil {
            var changes = contents.pending.changes(of: reference)[...]
            let state = changes.isEmpty ? nil : try await syncStore.state(of: reference)
            if let (mark, tries) = marks[reference], let first = changes.first, mark.first == first.sequence {
                entries.append(OutboxEntry(mark, tries, of: reference))
                changes = changes.drop { $0.sequence <= mark.last }
            }
            while !changes.isEmpty {
                let fold = Fold(next: changes, state: state)
                // Changes whose effects cancel each other out are not sent.
                if let kind = fold.kind { entries.append(OutboxEntry(fold, kind, state)) }
                changes = changes.drop { $0.sequence <= fold.last }
            }
        }
        entries.sort { $0.sequence < $1.sequence }
        return entries + (try await syncStore.setAside().map { OutboxEntry($0) })
    }

    /// Tries a set-aside change again. It becomes a new change of the record in its current state.
    ///
    /// - Parameter sequence: ``OutboxEntry/sequence`` of the change.
    /// - Returns: Whether there was such a change.
    /// - Throws: ``DataStoreError``, with the code `invalidValue` if the record was deleted and the change lacks a required
    ///   field.
    @discardableResult
    public func retry(_ sequence: SequenceNumber) async throws -> Bool {
        try await deciding(sequence) { try await syncStore.retry(first: sequence, $0) }
    }

    /// Discards a set-aside change. Its record becomes the server's record.
    ///
    /// - Parameter sequence: ``OutboxEntry/sequence`` of the change.
    /// - Returns: Whether there was such a change.
    /// - Throws: ``DataStoreError``.
    @discardableResult
    public func discard(_ sequence: SequenceNumber) async throws -> Bool {
        try await deciding(sequence) { try await syncStore.discard(first: sequence, $0) }
    }

    /// Calls `body` with the pending changes. If the record is changed before the decision is written, `body` is called again.
    private func deciding(
        _ sequence: SequenceNumber, _ body: (PendingChanges) async throws -> Bool
    ) async throws -> Bool {
        while true {
            let pending = try await syncStore.contents().pending
            do {
                if let reference = pending.held(at: sequence), !pending.changes(of: reference).isEmpty {
                    try await syncStore.join(reference, pending)
                } else {
                    return try await body(pending)
                }
            } catch is SyncStore.Overtaken { continue }
        }
    }
}

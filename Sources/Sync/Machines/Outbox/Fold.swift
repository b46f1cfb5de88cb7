package import TidelogCore

/// A mutation that combines several changes of a record.
package struct Fold: Sendable, Hashable {
    /// The fields that a mutation sets.
    package enum Fields: Sendable, Hashable {
        /// Every field that the row has.
        case all
        /// The fields with these names.
        case named(Set<String>)
    }

    /// The record.
    package var reference: RecordReference
    /// The operation that the server is asked to perform; `nil` for none, if the record was created and deleted in between.
    package var kind: ChangeKind?
    /// The fields that the mutation sets.
    package var fields: Fields
    /// The condition of the change, as text.
    package var condition: String?
    /// The first event of the combined changes.
    package var first: SequenceNumber
    /// The event before the first one of the same record.
    package var previous: SequenceNumber
    /// The id of the mutation: its last event.
    package var mutation: MutationID
    /// The log's chain value after the last event.
    package var chain: UInt64

    /// The last event of the combined changes.
    package var last: SequenceNumber { mutation.sequence }

    /// Combines the first of `changes` into the next mutation: all changes before the first one with a condition. A change with
    /// a condition is sent alone.
    ///
    /// - Parameters:
    ///   - changes: The pending changes of one record, the oldest first; at least one.
    ///   - state: The server's state of the record, as far as it is known.
    package init(next changes: ArraySlice<PendingChange>, state: ServerState?) {
        let unconditional = changes.prefix { $0.condition == nil }
        self.init(unconditional.isEmpty ? changes.prefix(1) : unconditional, state: state)
    }

    /// Combines all of `changes`, including changes with conditions.
    package init(_ changes: ArraySlice<PendingChange>, state: ServerState?) {
        guard let first = changes.first, let last = changes.last else {
            preconditionFailure("a fold is made of at least one change")
        }
        assert(changes.allSatisfy { $0.reference == first.reference }, "a fold is about one record")
        (reference, self.first, previous) = (first.reference, first.sequence, first.previous)
        (mutation, chain, condition) = (last.mutation, last.chain, changes.count == 1 ? first.condition : nil)
        // A record that existed before the first sync is new to the server, even if compaction left only an update of it.
        let isKnown = first.hadRow && state != nil
        switch (isKnown, last.kind == .delete) {
        case (true, true): (kind, fields) = (.delete, .named([]))
        case (false, true): (kind, fields) = (nil, .named([]))
        case (false, false): (kind, fields) = (.create, .all)
        case (true, false):
            let wasDeleted = changes.contains { $0.kind == .delete }
            (kind, fields) = (.update, wasDeleted ? .all : .named(Set(changes.flatMap(\.changedFields))))
        }
    }
}

/// A mutation in the form in which it is sent: one GraphQL operation.
package struct OutgoingMutation: Sendable, Hashable {
    /// The record.
    package var reference: RecordReference
    /// The operation that the server is asked to perform.
    package var kind: ChangeKind
    /// The values that are set, `nil` for null; the key is not among them.
    package var fields: [String: FieldValue?]
    /// The condition of the change, as text.
    package var condition: String?
    /// The version that the change started from.
    package var baseVersion: UInt64?
    /// The id of the mutation on this device. It is the same each time that the mutation is sent.
    package var id: MutationID
    /// The number that the mark of the mutation has (``SentMark/distinction``).
    package var distinction: UInt64?

    package init(
        _ reference: RecordReference, _ kind: ChangeKind, fields: [String: FieldValue?] = [:],
        condition: String? = nil, baseVersion: UInt64? = nil, id: MutationID, distinction: UInt64? = nil
    ) {
        (self.reference, self.kind, self.fields) = (reference, kind, fields)
        (self.condition, self.baseVersion, self.id, self.distinction) = (condition, baseVersion, id, distinction)
    }

    /// The id under which the mutation is sent to the server. No other mutation has it, not even a mutation of another copy of
    /// the store.
    package var sentID: String {
        "\(id.incarnation)-\(id.sequence)" + (distinction.map { "-\($0)" } ?? "")
    }

    /// Makes the mutation for `fold`; `nil` if the changes cancel each other out.
    ///
    /// - Parameters:
    ///   - row: The record's row after the last of the changes; `nil` for a deletion.
    ///   - model: The record's model.
    init?(_ fold: Fold, row: Record?, model: SyncModel, baseVersion: UInt64?) {
        guard let kind = fold.kind else { return nil }
        self.init(
            fold.reference, kind, fields: Self.fields(fold.fields, of: row, kind, model), condition: fold.condition,
            baseVersion: kind == .create ? nil : baseVersion, id: fold.mutation, distinction: fold.chain)
    }

    /// The values that a change sets, for the fields that a client may set.
    static func fields(
        _ names: Fold.Fields, of row: Record?, _ kind: ChangeKind, _ model: SyncModel
    ) -> [String: FieldValue?] {
        guard kind != .delete, let row else { return [:] }
        var fields: [String: FieldValue?] = [:]
        for name in model.writable where !model.key.contains(name) {
            switch names {
            case .named(let names): if names.contains(name) { fields.updateValue(row[name], forKey: name) }
            case .all: if kind == .update || row[name] != nil { fields.updateValue(row[name], forKey: name) }
            }
        }
        return fields
    }
}

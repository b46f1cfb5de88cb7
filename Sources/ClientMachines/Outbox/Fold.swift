package import TidelogSchema

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
    package var kind: PendingChange.Kind?
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
        reference = first.reference
        self.first = first.sequence
        previous = first.previous
        mutation = last.mutation
        chain = last.chain
        assert(self.first <= mutation.sequence, "changes are in the order of the log")
        condition = changes.count == 1 ? first.condition : nil
        // A record that existed before the first sync is new to the server, even if compaction left only an update of it. The
        // same is true of a record that the server had deleted before: compaction may leave only a deletion that followed. A
        // base version of 0 belongs to a creation, also if the row now shows that creation as a set-aside change.
        let wasThere = state.map { !$0.isDeleted || $0.baseVersion ?? 0 > 0 } ?? false
        let isKnown = first.hadRow && wasThere
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

package import TidelogSchema

/// A local change without a response of the server. It corresponds to one local event.
package struct PendingChange: Sendable, Hashable {
    /// The record.
    package var reference: RecordReference
    /// The kind of the change.
    package var kind: Kind
    /// The event of the change, as the id of a mutation.
    package var mutation: MutationID
    /// The log's chain value after the event. It differs between two copies of a store that made different changes.
    package var chain: UInt64
    /// The place in the log before the event.
    package var placeBefore: Position
    /// The sequence number of the record's previous event; zero if there is none.
    package var previous: SequenceNumber
    /// The time of the change, in microseconds since 1970-01-01T00:00:00Z by this device's clock.
    package var madeAt: Int64
    /// The names of the fields that changed.
    package var changedFields: [String]
    /// The condition of the change, as text.
    package var condition: String?
    /// The records that the row refers to as its parents.
    package var parents: [RecordReference]

    package init(
        _ reference: RecordReference, _ kind: Kind, mutation: MutationID, chain: UInt64 = 0,
        placeBefore: Position,
        previous: SequenceNumber = .zero, madeAt: Int64 = 0, changedFields: [String] = [], condition: String? = nil,
        parents: [RecordReference] = []
    ) {
        self.reference = reference
        self.kind = kind
        self.mutation = mutation
        self.placeBefore = placeBefore
        (self.chain, self.madeAt) = (chain, madeAt)
        self.previous = previous
        self.changedFields = changedFields
        self.condition = condition
        self.parents = parents
    }

    /// The event's place in the log.
    package var sequence: SequenceNumber { mutation.sequence }

    /// Whether there was a row before the change.
    package var hadRow: Bool { kind != .create }
}

extension PendingChange {
    /// The kinds of changes.
    package enum Kind: UInt8, Sendable, Hashable, CaseIterable {
        /// The record is new.
        case create = 1
        /// Fields of the record change.
        case update = 2
        /// The record is deleted.
        case delete = 3
    }
}

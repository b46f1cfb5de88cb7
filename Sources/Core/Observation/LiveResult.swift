/// One result of a live query.
public struct LiveResult<Value: Sendable>: Sendable {
    /// The records, in the query's order.
    public let items: [Value]
    /// The event up to which the result takes the log in: exactly this and no other state of the store.
    public let sequence: SequenceNumber
    /// Whether the records are in step with a server: whether it has told everything that it had of every model that the
    /// query reads. Always false if nothing syncs the store, and in a process that does not write it.
    public let isSynced: Bool

    /// A result at `sequence`.
    public init(items: [Value], sequence: SequenceNumber, isSynced: Bool = false) {
        self.items = items
        self.sequence = sequence
        self.isSynced = isSynced
    }
}

extension LiveResult: Equatable where Value: Equatable {}

/// One result of a live query.
public struct LiveResult<Value: Sendable>: Sendable {
    /// The records, in the query's order.
    public let items: [Value]
    /// The last event in the result. The result is exactly the state of the store after this event.
    public let sequence: SequenceNumber
    /// Whether the records are in sync with a server: the server has sent all its data of every model that the query reads.
    ///
    /// It is always false if nothing syncs the store, and in a process that does not write the store.
    public let isSynced: Bool

    /// A result at `sequence`.
    public init(items: [Value], sequence: SequenceNumber, isSynced: Bool = false) {
        self.items = items
        self.sequence = sequence
        self.isSynced = isSynced
    }
}

extension LiveResult: Equatable where Value: Equatable {}

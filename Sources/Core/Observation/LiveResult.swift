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
    /// The state of the items. Two results of this process with equal fingerprints have equal rows, if their queries read the
    /// same model and include no relations. A result that a live query did not make has no fingerprint.
    package let fingerprint: Int?

    /// A result at `sequence`.
    public init(items: [Value], sequence: SequenceNumber, isSynced: Bool = false) {
        self.init(items: items, sequence: sequence, isSynced: isSynced, fingerprint: nil)
    }

    init(items: [Value], sequence: SequenceNumber, isSynced: Bool, fingerprint: Int?) {
        self.items = items
        self.sequence = sequence
        self.isSynced = isSynced
        self.fingerprint = fingerprint
    }
}

extension LiveResult: Equatable where Value: Equatable {
    /// Whether both have equal items at the same event, and the same ``isSynced``.
    public static func == (left: LiveResult, right: LiveResult) -> Bool {
        left.items == right.items && left.sequence == right.sequence && left.isSynced == right.isSynced
    }
}

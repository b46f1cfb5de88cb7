/// A change of one record, as ``DataStore/changes(of:)`` delivers it.
///
/// `Value` is the model's type, or ``Record``.
public struct Change<Value: Sendable>: Sendable {
    /// The kinds of changes.
    public enum Kind: String, Sendable, Hashable {
        /// The record was saved: it was created or changed.
        case saved
        /// The record was deleted.
        case deleted
        /// The record is no longer in the part of the data that is synced, so it was removed from this store.
        case leftScope
    }

    /// The kind of the change.
    public let kind: Kind
    /// Whether the change was made here or came from a server.
    public let origin: Origin
    /// The sequence number of the event that made the change.
    public let sequence: SequenceNumber
    /// The sequence number of the first event of the commit. It is equal for changes that were committed together.
    public let commit: SequenceNumber
    /// Whether the record is new: before the change, there was no record with its id.
    public let isNew: Bool
    /// The record's id. For a removed record, it is the id that ``Event/recordID`` returns.
    public let recordID: RecordID
    /// The record after the change, or `nil` if it was removed.
    public let value: Value?
    /// The names of the changed fields, in declaration order.
    ///
    /// For a new record, these are all fields with a value. For a removed record and for a save that changes nothing, there are
    /// none.
    public let changedFields: [String]
}

extension Change: Equatable where Value: Equatable {}

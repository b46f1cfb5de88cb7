public import TidelogCore

/// Decides what becomes of a local change that the server refused because the record had changed there.
public enum ConflictHandler: Sendable {
    /// The server's record counts; the local change is gone.
    case applyRemote
    /// The local change is sent again, on top of the server's record.
    case retryLocal
    /// Both changes are merged by fields: a field that only one side changed has that side's value, and a field that both
    /// changed has the server's.
    case mergeFields
    /// The closure decides. It is called again if the server has changed the record once more in the meantime, up to ten
    /// times for one change.
    case custom(@Sendable (ConflictData) async -> ConflictResolution)
}

/// A local change and the server's record, which had changed since the local change began.
public struct ConflictData: Sendable {
    /// The name of the record's model.
    public let model: String
    /// The record's id.
    public let id: RecordID
    /// The record as it is here; `nil` if the local change deletes it.
    public let local: Record?
    /// The record on the server.
    public let remote: Record
    /// The record that the local change started from; `nil` if there was none, or if the log has it no longer.
    public let base: Record?
    /// The server's version of its record.
    public let remoteVersion: UInt64
    /// How often this change has met a conflict: 1 for the first time.
    public let round: Int
}

/// The decision about a conflict.
public enum ConflictResolution: Sendable {
    /// The server's record counts; the local change is gone.
    case applyRemote
    /// The local change is sent again, on top of the server's record.
    case retryLocal
    /// This record's fields are sent, on top of the server's record. The record keeps the key that it has.
    case retry(Record)
}

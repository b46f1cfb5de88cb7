public import TidelogCore

/// A handler of conflicts. It decides about a local change that the server refused because the record had changed there.
public enum ConflictHandler: Sendable {
    /// Keeps the server's record and discards the local change.
    case applyRemote
    /// Sends the local change again, on top of the server's record.
    case retryLocal
    /// Merges both changes by fields. A field that only one side changed gets that side's value. A field that both sides
    /// changed gets the server's value.
    case mergeFields
    /// Calls the closure to decide. If the server has changed the record again in the meantime, the closure is called again, up
    /// to ten times for one change.
    case custom(@Sendable (ConflictData) async -> ConflictResolution)
}

/// A conflict: a local change and the server's record, which has changed since the local change began.
public struct ConflictData: Sendable {
    /// The name of the record's model.
    public let model: String
    /// The record's id.
    public let id: RecordID
    /// The record on this device; `nil` if the local change deletes it.
    public let local: Record?
    /// The record on the server.
    public let remote: Record
    /// The record that the local change started from; `nil` if there was none, or if the log does not contain it any more.
    public let base: Record?
    /// The server's version of its record.
    public let remoteVersion: UInt64
    /// How often this change has met a conflict: 1 for the first time.
    public let round: Int
}

/// The decision about a conflict.
public enum ConflictResolution: Sendable {
    /// Keeps the server's record and discards the local change.
    case applyRemote
    /// Sends the local change again, on top of the server's record.
    case retryLocal
    /// Sends the fields of this record, on top of the server's record. The record keeps its key.
    case retry(Record)
}

public import TidelogCore

/// A record that differs between a store and its server although no change of it is on its way.
public struct SyncDifference: Sendable, Hashable {
    /// The kinds of differences.
    public enum Kind: String, Sendable, Hashable {
        /// The server has the record, and the store does not.
        case missingHere
        /// The store has the record. The server does not have it, or the record is not among the synced records.
        case missingThere
        /// Both have the record, with different values.
        case differs
    }

    /// The name of the record's model.
    public let model: String
    /// The record's id.
    public let id: RecordID
    /// The kind of the difference.
    public let kind: Kind
    /// The fields with different values, in the order of their names, and `_version` if the versions differ. Empty unless both
    /// have the record.
    public let fields: [String]
    /// Whether the store has taken the server's record.
    public internal(set) var isRepaired = false
}

/// The result of a comparison of a store with its server.
public struct SyncVerification: Sendable, Hashable {
    /// How many records were compared: the server's records, and the records that only the store has.
    public internal(set) var compared = 0
    /// How many records differ, including the repaired ones.
    public internal(set) var differences = 0
    /// How many of the differing records are now equal to the server's.
    public internal(set) var repaired = 0
    /// How many records the server has changed since the last sync. The next sync brings these changes, so they are no
    /// differences.
    public internal(set) var behind = 0
    /// How many records were skipped because they have changes that the server has not accepted yet.
    public internal(set) var unsent = 0
    /// One sentence for each part that could not be compared, with the reason. If there are none, every record was compared.
    public internal(set) var problems: [String] = []

    /// Whether every record was compared and no difference is left.
    public var isEqual: Bool { differences == repaired && problems.isEmpty }
}

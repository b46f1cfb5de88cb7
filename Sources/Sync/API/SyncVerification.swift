public import TidelogCore

/// A record that a store and its server do not agree about, although nothing about it is on its way.
public struct SyncDifference: Sendable, Hashable {
    /// The ways in which the two may disagree.
    public enum Kind: String, Sendable, Hashable {
        /// The server has the record, and the store does not.
        case missingHere
        /// The store has the record, and the server does not, or it is not among the records that are synced.
        case missingThere
        /// Both have the record, with other values.
        case differs
    }

    /// The name of the record's model.
    public let model: String
    /// The record's id.
    public let id: RecordID
    /// How the two disagree.
    public let kind: Kind
    /// The fields with other values in the order of their names, and `_version` if the versions are others. Empty unless
    /// both have the record.
    public let fields: [String]
    /// Whether the store has taken the server's record.
    public internal(set) var isRepaired = false
}

/// The outcome of a comparison of a store with its server.
public struct SyncVerification: Sendable, Hashable {
    /// How many records were compared: those of the server, and those that only the store has.
    public internal(set) var compared = 0
    /// How many records differ, the repaired ones among them.
    public internal(set) var differences = 0
    /// How many of the differing records are now as the server has them.
    public internal(set) var repaired = 0
    /// How many records the server has changed since the last sync. The next sync brings them, so they are no differences.
    public internal(set) var behind = 0
    /// How many records were left out as they have changes that the server has not taken yet.
    public internal(set) var unsent = 0
    /// What could not be compared and why: a sentence for each. If there are none, every record was compared.
    public internal(set) var problems: [String] = []

    /// Whether every record was compared, and none is left that differs.
    public var isEqual: Bool { differences == repaired && problems.isEmpty }
}

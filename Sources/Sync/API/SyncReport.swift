/// The outcome of a sync that was run once.
public struct SyncReport: Sendable {
    /// The kinds of queries.
    public enum Query: String, Sendable, Hashable {
        /// The query asked for all records of the model.
        case base
        /// The query asked for the changes since the last sync.
        case delta
    }

    /// How many local changes the server has decided about without refusing them.
    public internal(set) var sent = 0
    /// How many of the server's records were new here.
    public internal(set) var received = 0
    /// How many local changes wait to be sent.
    public internal(set) var pending = 0
    /// How many local changes the server refused for good.
    public internal(set) var setAside = 0
    /// When each model was last synced completely, by the server's clock in milliseconds since 1970-01-01T00:00:00Z.
    public internal(set) var lastSync: [String: Int64] = [:]
    /// Which query each model had, of those whose query was answered.
    public internal(set) var queries: [String: Query] = [:]
    /// The models of which fewer records were taken than the server has, because of ``SyncConfiguration/syncMaxRecords``.
    public internal(set) var truncated: [String] = []
    /// The models that the server refuses: nothing of them was received, and the others were synced.
    public internal(set) var refused: [String] = []
    /// Models that the server refuses, and answers that were not usable: a sentence for each.
    public internal(set) var problems: [String] = []
    /// Why the sync ended before everything was sent and received; `nil` if it did not.
    public internal(set) var failure: SyncError?
}

/// The result of a single run of a sync.
public struct SyncReport: Sendable {
    /// The kinds of queries.
    public enum Query: String, Sendable, Hashable {
        /// The query asked for all records of the model.
        case base
        /// The query asked for the changes since the last sync.
        case delta
    }

    /// The protocol between the engine and the server; `automatic` if the server gave no answer that tells it.
    public package(set) var `protocol` = SyncProtocol.automatic
    /// How many local changes the server made.
    public package(set) var sent = 0
    /// How many local changes gave way to the server's record in a conflict.
    public package(set) var conflicts = 0
    /// How many of the server's records were new or newer than in the store.
    public package(set) var received = 0
    /// How many local changes wait to be sent.
    public package(set) var pending = 0
    /// How many local changes the server refused permanently.
    public package(set) var setAside = 0
    /// When each model was last synced completely, by the server's clock in milliseconds since 1970-01-01T00:00:00Z.
    public package(set) var lastSync: [String: Int64] = [:]
    /// The kind of query that was made for each model whose query was answered.
    public package(set) var queries: [String: Query] = [:]
    /// The models of which the store has fewer records than the server, because of ``SyncConfiguration/syncMaxRecords``.
    public package(set) var truncated: [String] = []
    /// The models that the server refuses. Nothing was received for them. All remaining models were synced.
    public package(set) var refused: [String] = []
    /// The models whose queries failed, and the last error of each. The next sync queries them again.
    public package(set) var failing: [String: String] = [:]
    /// One sentence for each model that the server refuses or that failed, for each answer or record that was not usable, and
    /// for each change that the server could not make so far.
    public package(set) var problems: [String] = []
    /// The reason why the sync ended before everything was sent and received; `nil` if it did not.
    public package(set) var failure: SyncError?

    package init() {}
}

internal import TidelogCore
public import TidelogFoundation

/// The settings of a sync engine. They have the same names, defaults and order as in Amplify's configuration.
public struct SyncConfiguration: Sendable {
    /// Receives each failure. The engine continues, or tries again later. The closure is called on any thread and must return
    /// soon.
    public var errorHandler: @Sendable (SyncError) -> Void
    /// Decides about a local change that the server refused because the record had changed there.
    public var conflictHandler: ConflictHandler
    /// The age of the last sync up to which a sync asks only for changes. After a longer time it asks for all records.
    public var syncInterval: Duration
    /// The largest number of records that a query for all records of a model receives; at least 1.
    ///
    /// A query that reaches this number ends. It does not remove records that it did not see, and the next sync asks for all
    /// records again.
    public var syncMaxRecords: Int
    /// The largest number of records in a page: 1 to 1,000.
    public var syncPageSize: Int
    /// The expressions that select the records to sync. If a model has several expressions, the first one is used. If a model
    /// has none, all its records are synced.
    public var syncExpressions: [SyncExpression]
    /// The strategy that chooses the modes of authorization for a model.
    public var authModeStrategy: AuthModeStrategy
    /// The largest number of local changes in one request: 1 to 100. A server that refuses such requests gets requests with
    /// one change each.
    public var mutationsPerRequest: Int
    /// The protocol between the engine and the server.
    public var `protocol`: SyncProtocol
    /// The URL of the server's GraphQL API; `nil` unless it was read from a file or set.
    public var endpoint: URL?
    /// The region of AWS that contains the server, with Amplify's name; `nil` if it is not known. No request needs it.
    public var region: String?
    /// The API key; `nil` if none was read or set.
    public var apiKey: String?
    /// The mode of authorization that the server uses for models without rules; `nil` if it is not known.
    public var defaultAuthorizationMode: GraphQLAuthorization.Mode?

    /// A configuration.
    public init(
        errorHandler: @escaping @Sendable (SyncError) -> Void = { _ in },
        conflictHandler: ConflictHandler = .applyRemote, syncInterval: Duration = .seconds(86_400),
        syncMaxRecords: Int = 10_000, syncPageSize: Int = 1_000, syncExpressions: [SyncExpression] = [],
        authModeStrategy: AuthModeStrategy = .default, mutationsPerRequest: Int = 25,
        protocol: SyncProtocol = .automatic
    ) {
        self.errorHandler = errorHandler
        self.conflictHandler = conflictHandler
        self.syncInterval = syncInterval
        self.syncMaxRecords = syncMaxRecords
        self.syncPageSize = syncPageSize
        self.syncExpressions = syncExpressions
        self.authModeStrategy = authModeStrategy
        self.mutationsPerRequest = mutationsPerRequest
        self.protocol = `protocol`
    }
}

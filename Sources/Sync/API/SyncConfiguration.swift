public import TidelogCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The choices that an app makes about syncing. Amplify's configuration has the same names, defaults and order.
public struct SyncConfiguration: Sendable {
    /// Gets each failure. The engine continues, or tries again later. It is called from any thread, and must return soon.
    public var errorHandler: @Sendable (SyncError) -> Void
    /// Decides what becomes of a local change that the server refused because the record had changed there.
    public var conflictHandler: ConflictHandler
    /// For how long a sync asks for changes alone. After a longer time it asks for all records again.
    public var syncInterval: Duration
    /// How many records a query for all records of a model takes at most; at least 1.
    ///
    /// A query that has so many ends there: it removes no record that it did not see, and the next sync asks for all records
    /// again.
    public var syncMaxRecords: Int
    /// How many records a page has at most: 1 to 1,000.
    public var syncPageSize: Int
    /// Which records are synced. Of several expressions for a model the first one counts; a model without one is synced
    /// whole.
    public var syncExpressions: [SyncExpression]
    /// Which modes of authorization are used for a model.
    public var authModeStrategy: AuthModeStrategy
    /// The server's address of GraphQL; `nil` unless it was read from a file or set.
    public var endpoint: URL?
    /// The region of AWS in which the server is, as Amplify names it; `nil` if it is not known. No request needs it.
    public var region: String?
    /// The API key; `nil` if none was read or set.
    public var apiKey: String?
    /// The mode that the server uses for models without rules; `nil` if it is not known.
    public var defaultAuthorizationMode: GraphQLAuthorization.Mode?

    /// A configuration.
    public init(
        errorHandler: @escaping @Sendable (SyncError) -> Void = { _ in },
        conflictHandler: ConflictHandler = .applyRemote, syncInterval: Duration = .seconds(86_400),
        syncMaxRecords: Int = 10_000, syncPageSize: Int = 1_000, syncExpressions: [SyncExpression] = [],
        authModeStrategy: AuthModeStrategy = .default
    ) {
        self.errorHandler = errorHandler
        self.conflictHandler = conflictHandler
        self.syncInterval = syncInterval
        self.syncMaxRecords = syncMaxRecords
        self.syncPageSize = syncPageSize
        self.syncExpressions = syncExpressions
        self.authModeStrategy = authModeStrategy
    }
}

/// The records of a model that are synced.
///
/// ```swift
/// let recent = SyncExpression.syncExpression("Post") { .field("rating", .greaterOrEqual(.int(5))) }
/// ```
public struct SyncExpression: Sendable {
    /// The name of the model.
    public let model: String
    /// Gives the predicate; called at each start.
    public let predicate: @Sendable () -> QueryPredicate

    /// The records of the model called `model` that fulfil the predicate which `predicate` gives at each start.
    public static func syncExpression(
        _ model: String, where predicate: @escaping @Sendable () -> QueryPredicate
    ) -> SyncExpression {
        SyncExpression(model: model, predicate: predicate)
    }

    /// The records of a model that fulfil the predicate which `predicate` gives at each start.
    public static func syncExpression<Value: Model>(
        _ type: Value.Type, where predicate: @escaping @Sendable () -> ModelPredicate<Value>
    ) -> SyncExpression {
        SyncExpression(model: Value.schema.name) { predicate().queryPredicate }
    }
}

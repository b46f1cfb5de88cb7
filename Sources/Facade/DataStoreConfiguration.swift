public import Foundation

/// The choices of an app about syncing, with Amplify's names and defaults.
public struct DataStoreConfiguration: Sendable {
    /// Gets each failure of the engine.
    public let errorHandler: DataStoreErrorHandler
    /// Decides about local changes that the server refused because the record had changed there.
    public let conflictHandler: DataStoreConflictHandler
    /// For how many seconds a sync asks for changes alone. After a longer time it asks for all records again.
    public let syncInterval: TimeInterval
    /// How many records of a model are synced at most.
    public let syncMaxRecords: UInt
    /// How many records a page has at most, 1 to 1,000.
    public let syncPageSize: UInt
    /// The records that are synced. Of several expressions for a model the first one counts.
    public let syncExpressions: [DataStoreSyncExpression]
    /// Which modes of authorization are used for a model.
    public let authModeStrategy: AuthModeStrategy

    /// The defaults.
    public static let `default` = custom()

    /// A configuration that differs from the defaults.
    public static func custom(
        errorHandler: @escaping DataStoreErrorHandler = { Amplify.Logging.error(error: $0) },
        conflictHandler: @escaping DataStoreConflictHandler = { _, resolve in resolve(.applyRemote) },
        syncInterval: TimeInterval = .hours(24), syncMaxRecords: UInt = 10_000, syncPageSize: UInt = 1_000,
        syncExpressions: [DataStoreSyncExpression] = [], authModeStrategy: AuthModeStrategy = .default
    ) -> DataStoreConfiguration {
        DataStoreConfiguration(
            errorHandler: errorHandler, conflictHandler: conflictHandler, syncInterval: syncInterval,
            syncMaxRecords: syncMaxRecords, syncPageSize: syncPageSize, syncExpressions: syncExpressions,
            authModeStrategy: authModeStrategy)
    }

    /// The configuration of a sync engine.
    ///
    /// - Parameter server: What the configuration file says of the server.
    func syncConfiguration(_ server: SyncConfiguration, _ models: RegisteredModels) -> SyncConfiguration {
        var configuration = server
        configuration.errorHandler = { [errorHandler] in errorHandler($0) }
        configuration.conflictHandler = .custom { [conflictHandler, errorHandler] conflict in
            do {
                return try await conflict.resolution(by: conflictHandler, models)
            } catch {
                errorHandler(DataStoreError(error))
                return .applyRemote
            }
        }
        configuration.syncInterval = .seconds(syncInterval)
        configuration.syncMaxRecords = Int(clamping: syncMaxRecords)
        configuration.syncPageSize = Int(clamping: syncPageSize)
        configuration.syncExpressions = syncExpressions.map { expression in
            .syncExpression(expression.modelSchema.name) { expression.modelPredicate().queryPredicate }
        }
        configuration.authModeStrategy = authModeStrategy
        return configuration
    }
}

/// Gets a failure of the engine. The engine continues, or tries again later. The closure is called from any thread.
public typealias DataStoreErrorHandler = @Sendable (any AmplifyError) -> Void

/// The records of a model that are synced.
public struct DataStoreSyncExpression: Sendable {
    let modelSchema: ModelSchema
    let modelPredicate: @Sendable () -> any QueryPredicate

    /// The records that fulfil the predicate which `predicate` gives. It is called at each start of the engine.
    public static func syncExpression(
        _ modelSchema: ModelSchema, where predicate: @escaping @Sendable () -> any QueryPredicate
    ) -> DataStoreSyncExpression {
        DataStoreSyncExpression(modelSchema: modelSchema, modelPredicate: predicate)
    }
}

extension TimeInterval {
    /// An interval of `value` seconds.
    public static func seconds(_ value: Double) -> TimeInterval { value }

    /// An interval of `value` minutes.
    public static func minutes(_ value: Double) -> TimeInterval { value * 60 }

    /// An interval of `value` hours.
    public static func hours(_ value: Double) -> TimeInterval { value * 3_600 }
}

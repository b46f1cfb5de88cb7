public import Foundation

/// The settings of an app for syncing, with Amplify's names and defaults.
public struct DataStoreConfiguration: Sendable {
    /// Receives each failure of the engine.
    public let errorHandler: DataStoreErrorHandler
    /// Decides about local changes that the server refused because the record had changed there.
    public let conflictHandler: DataStoreConflictHandler
    /// The age of the last sync, in seconds, up to which a sync asks only for changes. After a longer time it asks for all
    /// records.
    public let syncInterval: TimeInterval
    /// The largest number of records of a model that are synced.
    public let syncMaxRecords: UInt
    /// The largest number of records in a page, from 1 to 1,000.
    public let syncPageSize: UInt
    /// The expressions that select the records to sync. If a model has several expressions, the first one is used.
    public let syncExpressions: [DataStoreSyncExpression]
    /// The strategy that chooses the modes of authorization for a model.
    public let authModeStrategy: AuthModeStrategy

    /// The default configuration.
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

    /// The corresponding configuration of a sync engine.
    ///
    /// - Parameter server: The data about the server in the configuration file.
    func syncConfiguration(_ server: SyncConfiguration, _ models: OpenedStore.RegisteredModels) -> SyncConfiguration {
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

/// Receives a failure of the engine. The engine continues, or tries again later. The closure is called on any thread.
public typealias DataStoreErrorHandler = @Sendable (any AmplifyError) -> Void

/// A sync expression: the records of a model that are synced.
public struct DataStoreSyncExpression: Sendable {
    let modelSchema: ModelSchema
    let modelPredicate: @Sendable () -> any QueryPredicate

    /// Makes an expression. `predicate` returns the predicate of the records to sync, and is called at each start of the
    /// engine.
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

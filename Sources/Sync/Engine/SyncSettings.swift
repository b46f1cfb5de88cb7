@_spi(Adapters) internal import TidelogCore

/// The settings of the engine's loop: the store, the models, and the settings of the app.
struct SyncSettings: Sendable {
    let store: DataStore
    let layout: SchemaLayout
    let models: SyncModels
    let conflictHandler: ConflictHandler
    /// The first expression of each model.
    let expressions: [String: SyncExpression]
    let startup: Lifecycle.Startup
    let inbox: Inbox.Options
    let outbox: Outbox.Options
    /// How often credentials that the server refuses are tried again before a single run of a sync gives up.
    let credentialTries: Int
    /// Receives each failure. The engine continues, or tries again later.
    let handleError: @Sendable (SyncError) -> Void
    /// Called with each step of the engine, for measurements.
    let notify: @Sendable (SyncEngine.Notice) -> Void

    /// The sync expressions that the app returns now.
    func scope() throws -> SyncScope { try SyncScope(expressions, layout) }
}

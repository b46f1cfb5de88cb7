@_spi(Adapters) internal import TidelogCore

/// The settings of an engine: its store, the settings of its machine, and the settings of the app.
struct SyncSettings: Sendable {
    let store: DataStore
    let layout: SchemaLayout
    let conflictHandler: ConflictHandler
    /// The first expression of each model.
    let expressions: [String: SyncExpression]
    let machine: SyncMachine.Settings
    /// Receives each failure. The engine continues, or tries again later.
    let handleError: @Sendable (SyncError) -> Void
    /// Called with each step of the engine, for measurements.
    let notify: @Sendable (SyncMachine.Notice) -> Void

    var models: SyncModels { machine.models }

    /// The sync expressions that the app returns now.
    func scope() throws -> SyncScope { try SyncScope(expressions, layout) }
}

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

    /// The protocol to use: the app's, or the server's as a note tells it.
    func chosenProtocol() async throws -> SyncProtocol {
        guard machine.syncProtocol == .automatic else { return machine.syncProtocol }
        return try await notedProtocol() ?? .automatic
    }

    /// The protocol that the server chose at an earlier time; `nil` if it has not chosen one.
    func notedProtocol() async throws -> SyncProtocol? {
        try await store.read { try $0.note(NoteName.syncProtocol) }.flatMap { SyncProtocol(encoded: $0) }
    }

    /// The sync expressions that the app returns now.
    func scope() throws -> SyncScope { try SyncScope(expressions, layout) }
}

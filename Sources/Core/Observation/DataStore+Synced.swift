extension DataStore {
    /// Sets whether the model called `name` is in sync with a server, and notifies the live queries that read it.
    ///
    /// This sets ``LiveResult/isSynced``.
    ///
    /// A result with the new state includes every write that returned before this call. The state is only in memory: after the
    /// store was opened or cleared, no model is in sync. Other processes always see `false`.
    ///
    /// - Throws: ``DataStoreError``: `unknownModel`, `readOnly`, `closed`.
    package func setSynced(_ isSynced: Bool, model name: String) throws {
        let generation = try current()
        _ = try writer(of: generation)
        generation.feed.setSynced(isSynced, model: try generation.layout.required(name).number)
    }
}

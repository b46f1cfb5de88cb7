extension DataStore {
    /// Notes whether the model called `name` is in step with a server, and tells the live queries that read it. This
    /// sets ``LiveResult/isSynced``.
    ///
    /// A result with the new state has every write that returned before this call. The state is in memory: after the store
    /// was opened or cleared, no model is in step. Other processes always see `false`.
    ///
    /// - Throws: ``DataStoreError``: `unknownModel`, `readOnly`, `closed`.
    package func setSynced(_ isSynced: Bool, model name: String) throws {
        let generation = try current()
        _ = try writer(of: generation)
        generation.feed.setSynced(isSynced, model: try generation.layout.required(name).number)
    }
}

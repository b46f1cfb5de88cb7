@_spi(Adapters) public import TidelogCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension DataStore {
    /// A store for tests and caches, with its rows in memory.
    ///
    /// Its log is in a temporary directory, which is removed together with the store. The log is never synced.
    ///
    /// ```swift
    /// let store = try await DataStore.inMemory(schema: schema)
    /// ```
    ///
    /// - Throws: ``DataStoreError``: `invalidSchema`, `inputOutput`.
    public static func inMemory(schema: Schema, projections: [any Projection] = []) async throws -> DataStore {
        let directory = FileManager.default.temporaryDirectory.appending(
            path: "tidelog-\(UInt64.random(in: 1 ... .max))")
        var configuration = DataStoreConfiguration(durability: .relaxed, projections: projections)
        configuration.isTemporary = true
        let temporary = configuration
        return try await Blocking.run {
            try DataStore(path: directory.path, schema: schema, factory: .inMemory(), configuration: temporary)
        }
    }
}

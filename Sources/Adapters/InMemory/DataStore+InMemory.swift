@_spi(Adapters) public import TidelogCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension DataStore {
    /// A store for tests and caches: its rows are in memory, its log, which nothing syncs, in a temporary directory that
    /// goes with it.
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

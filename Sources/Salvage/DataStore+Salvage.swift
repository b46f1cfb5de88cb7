public import TidelogCore
public import TidelogFoundation

extension DataStore {
    /// Salvages the damaged store at `directory`: copies its good events to `target`, which must not exist.
    ///
    /// The salvage reads the log's file page by page, and does not rely on trees and keys. It saves every event whose
    /// checksum is right, in order, under the same sequence number. If events in the middle are lost, the floor of the
    /// new store is above them. Consumers with an earlier position then get the error `lagged`. Records that exist only
    /// in the rows are added at the end, and are marked as salvaged (``Event/isSalvaged``). The new store keeps the id,
    /// and gets a new incarnation. The damaged store is not changed. No process may write it during the salvage.
    ///
    /// - Parameters:
    ///   - adapter: The adapter that keeps the rows of the damaged store. With `nil`, the rows are not used.
    ///   - schema: The app's schema, for a log that lost all of its schemas. It must be the schema with which the store was
    ///     created.
    ///   - progress: Called with the progress of the copy.
    /// - Throws: ``DataStoreError``: `notFound`, `alreadyExists`, `unsafePath`, `storageFull`; `locked` if this process
    ///   has the store open, or another one writes it; `logDamaged` if no event or no schema is left; `newerFormat`;
    ///   `invalidSchema` if `schema` does not fit the records.
    @discardableResult
    public static func salvage(
        from directory: URL, to target: URL, adapter: AdapterFactory? = nil, schema: Schema? = nil,
        progress: (@Sendable (RebuildProgress) -> Void)? = nil
    ) async throws -> SalvageReport {
        let (path, targetPath) = (directory.path, target.path)
        return try await Blocking.run {
            try translatingErrors("read the log") {
                try SalvageRun(path, adapter, schema).run(to: targetPath, progress: progress)
            }
        }
    }
}

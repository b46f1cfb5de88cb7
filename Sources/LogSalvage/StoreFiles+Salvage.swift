@_spi(Adapters) public import TidelogCore
public import TidelogFoundation

extension StoreFiles {
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

extension StoreFiles {
    /// Reads the rows of the store at `directory` if its log is damaged and cannot be opened.
    ///
    /// The rows have the state of their checkpoint. They are not compared with the log. The schema is searched in every
    /// page of the log's file. Nothing is changed. This takes as long as reading the whole log.
    ///
    /// - Parameter adapter: The adapter that keeps the rows; see ``adapterName(ofDamagedStoreAt:)``.
    /// - Throws: ``DataStoreError``: `notFound`; `logDamaged` if the log has lost its schema; `projectionUnavailable`
    ///   if there are no rows that can be trusted; `locked` if this process has the store open. Errors of `body` are
    ///   also thrown.
    public static func readRows<Value>(
        ofDamagedStoreAt directory: URL, adapter: AdapterFactory, _ body: (StoreSnapshot) throws -> Value
    ) async throws -> Value {
        try translatingErrors("read the log") {
            let store = try DamagedStore(directory.path)
            let survey = try LogSurvey(store.files)
            guard let rows = try store.openRows(adapter, store: survey.metadata.store) else {
                throw DataStoreError(
                    .projectionUnavailable, "The log is damaged, and there are no rows that can be trusted.",
                    recovery: "Salvage the good events of the log: `tidelog verify --store DIR --salvage DIR`.")
            }
            let version = rows.checkpoint.schemaVersion
            let schemas: SalvagedSchemas
            do {
                schemas = try SalvagedSchemas(survey, store.files, given: nil, rowsVersion: version)
            } catch {
                rows.close()
                throw error
            }
            guard let schema = schemas.byVersion[version] else { preconditionFailure("rows have a schema") }
            let snapshot = StoreSnapshot(of: rows.snapshot, closing: rows.files, SchemaLayout(schema))
            defer { snapshot.end() }
            return try body(snapshot)
        }
    }

    /// The name of the adapter that keeps the rows of the store at `directory`, as its damaged log records it. The
    /// result is `nil` if the log no longer records it.
    ///
    /// - Throws: ``DataStoreError``: `notFound`, `inputOutput`, `locked` if this process has the store open.
    public static func adapterName(ofDamagedStoreAt directory: URL) throws -> String? {
        try translatingErrors("read the log") {
            try SalvagedMetadata(SalvagedTrees(DamagedStore(directory.path).files.pages)).adapter
        }
    }
}

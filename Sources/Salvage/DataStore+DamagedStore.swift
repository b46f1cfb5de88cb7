@_spi(Adapters) public import TidelogCore
public import TidelogFoundation

extension DataStore {
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

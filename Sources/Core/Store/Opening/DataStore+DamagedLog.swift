internal import TidelogLMDB

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

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
            let snapshot = StoreSnapshot(of: rows, SchemaLayout(schema))
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

/// A store whose log may be damaged so that it cannot be opened.
struct DamagedStore {
    let files: DamagedLogFiles
    private let directory: StoreDirectory
    private let generation: Int

    init(_ path: String) throws {
        directory = try StoreDirectory(reading: path)
        generation = try StoreDirectory.highest("generation-", in: path)
        guard generation > 0 else {
            throw DataStoreError.noStore(at: path)
        }
        files = try DamagedLogFiles(directory: directory.log(generation, directory.logNumber(generation)))
    }

    /// Opens the rows for reading. The result is `nil` if there are no rows that can be trusted, or if they belong to
    /// another store.
    func openRows(_ adapter: AdapterFactory, store: StoreID?) throws -> SalvagedRows? {
        guard adapter.isPersistent else { return nil }
        let number = try StoreDirectory.highest("rows-", in: directory.generation(generation))
        guard number > 0 else { return nil }
        return try SalvagedRows(directory.rows(generation, number), adapter, store: store)
    }
}

/// The rows of a store with a damaged log, open for reading.
struct SalvagedRows {
    let files: RowsFiles
    let snapshot: any AdapterSnapshot
    let checkpoint: Checkpoint

    /// Opens the rows in a directory. The result is `nil` if they cannot be trusted, or if they belong to another store
    /// than `store`.
    init?(_ path: String, _ factory: AdapterFactory, store: StoreID?) throws {
        let adapter = try factory.make(path, true)
        let snapshot: any AdapterSnapshot
        do { snapshot = try adapter.snapshot() } catch {
            try? adapter.close()
            throw error
        }
        let close = {
            snapshot.end()
            try? adapter.close()
        }
        do {
            guard let checkpoint = try snapshot.checkpoint(), store ?? checkpoint.store == checkpoint.store,
                checkpoint.sequence.value < FoundEvent.sequenceLimit
            else {
                close()
                return nil
            }
            let marker = RowsMarker(directory: path, store: checkpoint.store)
            guard try marker.isTrustworthy() else {
                close()
                return nil
            }
            files = RowsFiles(adapter: adapter, directory: path, marker: marker)
            (self.snapshot, self.checkpoint) = (snapshot, checkpoint)
        } catch {
            close()
            throw error
        }
    }

    func close() {
        snapshot.end()
        try? files.adapter.close()
    }
}

internal import TidelogLMDB

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension DataStore {
    /// Reads the rows of the store at `directory`, whose log is damaged so that it does not open.
    ///
    /// The rows are what they were at their checkpoint, and nothing of them is compared with the log; the schema is looked
    /// for in every page of the log's file. Nothing is changed. It takes as long as reading the whole log.
    ///
    /// - Parameter adapter: What keeps the rows; see ``adapterName(ofDamagedStoreAt:)``.
    /// - Throws: ``DataStoreError``: `notFound`; `logDamaged` if the log holds no schema any more;
    ///   `projectionUnavailable` if there are no rows that can be trusted; `locked` if this process has the store
    ///   open; what `body` throws.
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

    /// The name of the adapter that keeps the rows of the store at `directory`, as far as its damaged log still says it;
    /// `nil` if it does not.
    ///
    /// - Throws: ``DataStoreError``: `notFound`, `inputOutput`, `locked` if this process has the store open.
    public static func adapterName(ofDamagedStoreAt directory: URL) throws -> String? {
        try translatingErrors("read the log") {
            try SalvagedMetadata(LooseTrees(DamagedStore(directory.path).files.pages)).adapter
        }
    }
}

/// A store whose log may not open.
struct DamagedStore {
    let files: DamagedLogFiles
    private let directory: StoreDirectory
    private let generation: Int

    init(_ path: String) throws {
        directory = try StoreDirectory(path, create: false)
        generation = try StoreDirectory.highest("generation-", in: path)
        guard generation > 0 else {
            throw DataStoreError.noStore(at: path)
        }
        files = try DamagedLogFiles(directory: directory.log(generation, directory.logNumber(generation)))
    }

    /// The rows, opened for reading; `nil` if there are none that can be trusted, or they are of another store.
    func openRows(_ adapter: AdapterFactory, store: StoreID?) throws -> SalvagedRows? {
        guard adapter.isPersistent else { return nil }
        let number = try StoreDirectory.highest("rows-", in: directory.generation(generation))
        guard number > 0 else { return nil }
        return try SalvagedRows(directory.rows(generation, number), adapter, store: store)
    }
}

/// Rows beside a damaged log, opened for reading.
struct SalvagedRows {
    let files: RowsFiles
    let snapshot: any AdapterSnapshot
    let checkpoint: Checkpoint

    /// Opens the rows in a directory; `nil` if they cannot be trusted, or are of another store than `store`.
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

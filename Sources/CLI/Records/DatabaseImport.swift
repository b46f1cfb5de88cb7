@_spi(Adapters) internal import Tidelog
internal import TidelogCore
internal import TidelogPostgres
internal import TidelogServer
internal import TidelogSynchronization

/// The import into a database of servers. Each record is saved as a server does it.
final class DatabaseImport: ImportTarget {
    static let option = Option(
        name: "database", value: "URL", help: "save the records in this PostgreSQL database of servers")
    static let kindOption = Option(
        name: "api", value: "KIND", help: "the API of the servers of a new database, as with serve (gen1)")

    let model: ModelLayout
    let keepsUnknownCases = false
    private let description: ModelAPI
    /// The layout of stored records.
    private let stored: ModelLayout
    private let versions: PostgresVersionedStore
    /// The number of the last change of this import.
    private let last = Mutex<UInt64>(0)

    private init(
        into versions: PostgresVersionedStore, _ description: ModelAPI, layout: ModelLayout, stored: ModelLayout
    ) {
        (self.versions, self.description, self.stored) = (versions, description, stored)
        model = layout
    }

    var sequence: UInt64 { last.withLock { $0 } }

    func save(_ batch: ImportBatch, skipsRefused: Bool) async throws -> ImportBatch.Outcome {
        var outcome = ImportBatch.Outcome()
        var changes: [RequestedChange] = []
        var lines: [Int] = []
        let time = Temporal.DateTime(milliseconds: Service.Environment.system.clock())
        try batch.forEach(skipsRefused: skipsRefused, refused: &outcome.refused) { row, line in
            try model.checkTexts(row.bytes)
            let record = ImportedRecord(
                try Record(row, layout: model), of: description, layout: stored, at: time)
            changes.append(record.change)
            lines.append(line)
        }
        let bulk = try await versions.changeTogether(model.name, changes, skipsRefused: skipsRefused)
        for refused in bulk.refused {
            let line = lines[refused.index]
            guard skipsRefused, let error = refused.error as? DataStoreError else {
                throw CommandFailure(refused.error).at(line: line)
            }
            outcome.refused.append((line, error))
        }
        outcome.refused.sort { $0.line < $1.line }
        outcome.savedCount = bulk.writtenCount
        outcome.unchangedCount = bulk.keptCount
        outcome.sequence = last.withLock { last in
            last = max(last, bulk.place ?? 0)
            return last
        }
        return outcome
    }
}

extension DatabaseImport {
    /// The arguments of an import into a database.
    struct Options: Sendable {
        private let address: String
        private let kind: APIKind?

        /// Reads the options; `nil` if the arguments name no database.
        init?(_ arguments: Arguments) throws {
            guard let address = arguments.text("database") else {
                guard !arguments.has("api") else { throw UsageError("--api is for a --database.") }
                return nil
            }
            for name in ["store", "adapter", "durability", "origin"] where arguments.has(name) {
                throw UsageError("--\(name) is for a store, and --database names a database.")
            }
            self.address = address
            kind = try arguments.choice("api", ["gen1": .versioned, "gen2": .timestamps])
        }

        /// Reads the schema with which the database is served, or the schema in the file at `path`. Nothing is changed.
        ///
        /// - Throws: ``CommandFailure`` with status 1 if there is no file and no server has used the database.
        func read(_ path: String?) async throws -> Database {
            let address = try DatabaseAddress(address)
            let served = try await DatabaseDescription.read(address)
            let kind = kind ?? served?.kind ?? .versioned
            if let path {
                let (api, source) = try SchemaFile.apiWithSource(path, kind)
                return Database(address: self.address, api: api, source: source)
            }
            guard let served else {
                throw CommandFailure(
                    .failed, "storeNotFound", "No server has used the database yet.",
                    recovery: "Give the schema of its servers: --schema FILE.")
            }
            let api = try API(SchemaDocument(sdl: Array(served.source.utf8)), kind)
            return Database(address: self.address, api: api, source: served.source)
        }
    }

    /// A database with the schema of its servers.
    struct Database {
        fileprivate let address: String
        fileprivate let api: API
        fileprivate let source: String

        /// - Throws: ``CommandFailure`` with status 2 if the schema has no model called `name`.
        func requireModel(_ name: String) throws {
            guard api.models[name] != nil else {
                throw CommandFailure.unknownModel(name, of: "schema", among: api.models.keys.sorted())
            }
        }

        /// Opens the database for an import of records of the model called `name`. The tables are created or changed by the
        /// rules of a server's start.
        func open(_ name: String, _ console: Console) async throws -> DatabaseImport {
            Interruption.deferToCommits()
            let served = try await ServedDatabase.open(
                address, for: api, source: source, tombstoneAge: ServiceOptions().tombstoneAge)
            for renaming in served.changes?.suspectedRenamings ?? [] { console.warn(renaming.question) }
            guard let description = api.models[name] else { preconditionFailure("the model was looked up before") }
            let layout = SchemaLayout(StoredSchema(first: api.importedSchema))
            let stored = SchemaLayout(StoredSchema(first: api.storedSchema))
            return DatabaseImport(
                into: served.versions, description, layout: try layout.model(called: name),
                stored: try stored.model(called: name))
        }
    }
}

internal import Tidelog
internal import TidelogFoundation
internal import TidelogServer

/// The store that a command works on: its directory, and the options for how it is made or was made.
struct StoreAccess: Sendable {
    /// The adapters that the tool knows.
    enum Adapter: String, Sendable {
        case lmdb, sqlite

        var factory: AdapterFactory {
            switch self {
            case .lmdb: .lmdb()
            case .sqlite: .sqlite()
            }
        }
    }

    let path: String
    let adapter: Adapter?
    let durability: Durability?
    /// Whether the durability was given by its former name.
    private let isCalledUnsynced: Bool

    init(_ arguments: Arguments) throws {
        path = try arguments.required("store").withoutTrailingSlash
        adapter = try arguments.choice("adapter", ["lmdb": .lmdb, "sqlite": .sqlite])
        // Earlier versions had a third durability. It promised less and was not faster than `relaxed` is now.
        durability = try arguments.choice("durability", ["full": .full, "relaxed": .relaxed, "unsynced": .relaxed])
        isCalledUnsynced = arguments.text("durability") == "unsynced"
    }

    init(path: String, adapter: Adapter? = nil, durability: Durability? = nil) {
        self.path = path
        self.adapter = adapter
        self.durability = durability
        isCalledUnsynced = false
    }

    /// The URL of the store's directory.
    var url: URL { URL(filePath: path) }

    /// Whether a store exists at the path.
    func exists() throws -> Bool {
        do {
            _ = try StoreFiles.describe(path: path)
            return true
        } catch let error as DataStoreError where error.code == .notFound {
            return false
        }
    }

    /// The description of the store.
    ///
    /// - Throws: ``CommandFailure`` if there is no store, or if it has another adapter than the arguments name.
    func describe() throws -> StoreDescription {
        let description: StoreDescription
        do {
            description = try StoreFiles.describe(path: path)
        } catch let error as DataStoreError where error.code == .notFound {
            throw CommandFailure(
                .failed, "storeNotFound", "There is no store at \(path).",
                recovery: "Check --store, or create one: `tidelog init --store \(path) --schema FILE`.")
        }
        if let adapter, adapter.rawValue != description.adapter {
            throw CommandFailure(
                .usage, "configurationMismatch",
                "The store keeps its rows with \(description.adapter), not with \(adapter.rawValue).",
                recovery: "Leave --adapter out, or switch: "
                    + "`tidelog rebuild --store \(path) --adapter \(adapter.rawValue)`.")
        }
        return description
    }

    /// Opens the store for reading. Another process may write it at the same time.
    ///
    /// - Throws: ``CommandFailure`` if there are no rows that can be trusted, and none can be made in a read-only store.
    func openForReading() throws -> DataStore {
        let name = try describe().adapter
        do {
            return try DataStore(
                path: path, schema: nil, factory: factory(name),
                configuration: DataStoreConfiguration(isReadOnly: true, createsStore: false))
        } catch let error as DataStoreError where [.projectionUnavailable, .damaged].contains(error.code) {
            var failure = CommandFailure(error)
            failure.recovery = "Make them from the log: `tidelog rebuild --store \(path)`."
            throw failure
        }
    }

    /// Opens the store for writing. If `schema` is given, the store is created with it or takes it over, with `migrations`.
    func openForWriting(
        schema: Schema? = nil, migrations: [SchemaMigration] = [], console: Console
    ) throws -> DataStore {
        Interruption.deferToCommits()
        if isCalledUnsynced {
            console.note("--durability unsynced is relaxed now, which is as fast and never corrupt.")
        }
        let name: String
        if schema != nil, try !exists() {
            name = (adapter ?? .lmdb).rawValue
        } else {
            name = try describe().adapter
        }
        let progress = ProgressBar.Shared("Making rows from the log", on: console)
        defer { progress.leave() }
        let store = try DataStore(
            path: path, schema: schema, factory: factory(name),
            configuration: DataStoreConfiguration(
                durability: durability, createsStore: schema != nil, migrations: migrations),
            progress: { progress.update($0) })
        for warning in try store.openingWarnings { console.warn(warning) }
        return store
    }

    /// Opens the store for changes of its records, in the way of ``openForWriting(schema:console:)``.
    ///
    /// - Throws: ``CommandFailure`` with status 2 if the store is a server's, because the server's clients would not receive
    ///   the changes.
    func openForChanges(schema: Schema? = nil, console: Console) throws -> DataStore {
        if try exists(), ServerModels.areIn(try describe().schema.declared) {
            throw CommandFailure(
                .usage, "configurationMismatch",
                "The store at \(path) is a server's: its records change through the API alone, which counts versions.",
                recovery: "Send a mutation to `tidelog serve`. Reading commands work here.")
        }
        if let schema, try exists() {
            let difference = SchemaDifference(from: try describe().schema.declared, to: schema)
            for renaming in difference.suspectedRenamings {
                console.warn(
                    "\(renaming.question) It keeps its data only with `tidelog migrate --store \(path) --rename \(renaming)`."
                )
            }
        }
        return try openForWriting(schema: schema, console: console)
    }

    /// The factory of the adapter called `name`.
    func factory(_ name: String) throws -> AdapterFactory {
        guard let adapter = Adapter(rawValue: name) else {
            throw CommandFailure(
                .usage, "configurationMismatch",
                "The store keeps its rows with \(name), which this tool does not know.",
                recovery: "Open it with the program that made it.")
        }
        return adapter.factory
    }
}

// MARK: - Damaged stores

extension StoreAccess {
    /// Calls `body` with the store's rows. If the log is too damaged to be opened, the rows are read as they are, after a
    /// warning.
    ///
    /// - Returns: `damaged` if the log is damaged.
    func readRows(on console: Console, _ body: (StoreSnapshot) throws -> Void) async throws -> ExitStatus {
        let store: DataStore
        do {
            store = try openForReading()
            // Reads the unprojected events of the log now, so that damage shows before `body` runs.
            _ = try await store.read { try $0.sequence }
        } catch {
            let failure = CommandFailure(error)
            guard failure.code == DataStoreError.Code.logDamaged.name else { throw error }
            return try await readRows(besideLogThat: failure, console, body)
        }
        try await store.read(body)
        try await store.close()
        return .done
    }

    private func readRows(
        besideLogThat failure: CommandFailure, _ console: Console, _ body: (StoreSnapshot) throws -> Void
    ) async throws -> ExitStatus {
        let warned = CommandFailure(
            .damaged, failure.code,
            "The log of \(path) is damaged; this is what its rows say, unchecked. \(failure.message)",
            recovery: "Save every undamaged event: `tidelog verify --store \(path) --salvage DIR`.")
        guard let factory = try adapterBesideDamagedLog() else { throw failure }
        console.warn(warned.message)
        console.note("  \(console.messageStyle.dim("→")) \(warned.recovery)")
        do {
            try await StoreFiles.readRows(ofDamagedStoreAt: url, adapter: factory, body)
        } catch let error as DataStoreError where error.code == .projectionUnavailable {
            throw failure
        }
        if console.isJSON { console.report(warned) }
        return .damaged
    }

    /// The adapter of a store whose log may not open; `nil` if it cannot be determined.
    func adapterBesideDamagedLog() throws -> AdapterFactory? {
        if let adapter { return adapter.factory }
        if let name = try? StoreFiles.adapterName(ofDamagedStoreAt: url) { return try factory(name) }
        let files = (try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []
        if files.contains(where: { $0.hasSuffix("/rows.sqlite") }) { return Adapter.sqlite.factory }
        return files.contains { $0.contains("/rows-") && $0.hasSuffix("/data.mdb") } ? Adapter.lmdb.factory : nil
    }

    /// The damage whose reading crashes the process, as a failure; `nil` if nothing is damaged. The reading happens in child
    /// processes.
    func damage() async throws -> CommandFailure? {
        guard try await isReadable(logOnly: true) else {
            return CommandFailure(
                .damaged, "damaged", "The log of \(path) is damaged so badly that reading it ends the process.",
                recovery:
                    "Salvage every undamaged event: `tidelog verify --store \(path) --salvage DIR`; or restore a backup."
            )
        }
        guard try await isReadable(logOnly: false) else {
            return CommandFailure(
                .damaged, "damaged", "The rows of \(path) are damaged; its log is good.",
                recovery: "Recreate the rows from the log: `tidelog rebuild --store \(path)`.")
        }
        return nil
    }

    /// Whether a child process that verifies the store finds nothing wrong.
    private func isReadable(logOnly: Bool) async throws -> Bool {
        let arguments = ["verify-child", "--store", path] + (logOnly ? ["--log-only"] : [])
        let child = try ChildRun(System.executable, arguments, readsOutput: true, mayCrash: true, isSilent: true)
        while child.readLine() != nil {}
        return try await child.wait() == .exited(.done)
    }
}

extension DataStore {
    /// Calls `body` with the store, and closes the store afterwards, also if `body` throws an error.
    func closing<Result>(after body: (DataStore) async throws -> Result) async throws -> Result {
        let result: Result
        do {
            result = try await body(self)
        } catch {
            try? await close()
            throw error
        }
        try await close()
        return result
    }
}

extension String {
    fileprivate var withoutTrailingSlash: String {
        var text = self[...]
        while text.count > 1, text.last == "/" { text.removeLast() }
        return String(text)
    }
}

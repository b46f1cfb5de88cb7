internal import Tidelog
internal import TidelogServer

/// The store that a command works on: its directory, and what the arguments say of how it was or is to be made.
struct StoreAccess: Sendable {
    let path: String
    let adapter: Adapter?
    let durability: Durability?
    /// Whether the durability was named by its earlier word.
    private let isCalledUnsynced: Bool

    init(_ arguments: Arguments) throws {
        path = try arguments.required("store").withoutTrailingSlash
        adapter = try arguments.choice("adapter", ["lmdb": .lmdb, "sqlite": .sqlite])
        // Earlier versions had a third, which promised less and was no faster than the second is now.
        durability = try arguments.choice("durability", ["full": .full, "relaxed": .relaxed, "unsynced": .relaxed])
        isCalledUnsynced = arguments.text("durability") == "unsynced"
    }

    init(path: String, adapter: Adapter? = nil, durability: Durability? = nil) {
        self.path = path
        self.adapter = adapter
        self.durability = durability
        isCalledUnsynced = false
    }

    /// Whether there is a store.
    func exists() throws -> Bool {
        do {
            _ = try DataStore.describe(path: path)
            return true
        } catch let error as DataStoreError where error.code == .notFound {
            return false
        }
    }

    /// What the store says about itself.
    ///
    /// - Throws: ``CommandFailure`` if there is none, or where it has another adapter than the one named.
    func describe() throws -> StoreDescription {
        let description: StoreDescription
        do {
            description = try DataStore.describe(path: path)
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

    /// Opens the store for reading, also while another process writes it.
    ///
    /// - Throws: ``CommandFailure`` if there are no rows that can be trusted, and none can be made here.
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

    /// Opens the store for writing. Where `schema` is given, the store is created or takes it over.
    func openForWriting(schema: Schema? = nil, console: Console) throws -> DataStore {
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
        let progress = SharedProgress("Making rows from the log", on: console)
        defer { progress.leave() }
        let store = try DataStore(
            path: path, schema: schema, factory: factory(name),
            configuration: DataStoreConfiguration(durability: durability, createsStore: schema != nil),
            progress: { progress.update($0) })
        for warning in try store.openingWarnings { console.warn(warning) }
        return store
    }

    /// Opens the store for changes of its records, as ``openForWriting(schema:console:)``.
    ///
    /// - Throws: ``CommandFailure`` with status 2 if it is a server's: its clients would not learn of them.
    func openForChanges(schema: Schema? = nil, console: Console) throws -> DataStore {
        if try exists(), ServerModels.areIn(try describe().schema.declared) {
            throw CommandFailure(
                .usage, "configurationMismatch",
                "The store at \(path) is a server's: its records change through the API alone, which counts versions.",
                recovery: "Send a mutation to `tidelog serve`. Reading commands work here.")
        }
        return try openForWriting(schema: schema, console: console)
    }

    /// What opens the rows that the adapter called `name` keeps.
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

extension String {
    fileprivate var withoutTrailingSlash: String {
        var text = self[...]
        while text.count > 1, text.last == "/" { text.removeLast() }
        return String(text)
    }
}

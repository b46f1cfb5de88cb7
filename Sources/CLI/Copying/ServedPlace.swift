internal import Tidelog
internal import TidelogCore
internal import TidelogPostgres
internal import TidelogServer

/// A place in which servers keep their records: a store or a PostgreSQL database.
enum ServedPlace: Sendable {
    case store(StoreAccess)
    case database(DatabaseAddress)

    /// The place that an argument names. The path of a store has no `=`, and the words of libpq have one.
    init(_ text: String, adapter: StoreAccess.Adapter? = nil, durability: Durability? = nil) throws {
        if text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") || text.contains("=") {
            self = .database(try DatabaseAddress(text))
        } else {
            self = .store(StoreAccess(path: text, adapter: adapter, durability: durability))
        }
    }

    var isStore: Bool { if case .store = self { true } else { false } }

    /// Opens the place, so that no server can use it. `nil` if it is a store that does not exist.
    ///
    /// - Throws: ``CommandFailure`` with status 6 if a server uses the place, and 2 if it is the store of an app.
    func open(_ console: Console) async throws -> Opened? {
        Interruption.deferToCommits()
        switch self {
        case .database(let address): return .database(try await DatabaseLink(address))
        case .store(let access):
            guard try access.exists() else { return nil }
            guard ServerModels.areIn(try access.describe().schema.declared) else {
                throw CommandFailure(
                    .usage, "configurationMismatch", "The store at \(access.path) is an app's, not a server's.",
                    recovery: "Apps sync their stores: `tidelog sync --store \(access.path) --endpoint URL`.")
            }
            return .store(try access.openForWriting(console: console))
        }
    }

    /// A place that is open.
    enum Opened: Sendable {
        case store(DataStore)
        case database(DatabaseLink)

        /// The facts of the place.
        var facts: ServedFacts {
            get async throws {
                switch self {
                case .store(let store): try await LogContent.facts(of: store)
                case .database(let link): try await link.facts()
                }
            }
        }

        /// Whether the place has no records and no answers to mutations.
        var isEmpty: Bool {
            get async throws {
                switch self {
                case .store(let store): try await LogContent.isEmpty(store)
                case .database(let link): try await link.isEmpty()
                }
            }
        }

        /// The content under the stored schema of an API.
        func content(_ schema: Schema) throws -> any ServedContent {
            switch self {
            case .store(let store): try LogContent(store, schema: schema)
            case .database(let link): link.content(schema)
            }
        }

        func close() async throws {
            if case .store(let store) = self { try await store.close() }
        }
    }

    /// Prepares the place for a copy of the place called `source`: creates the store or the tables, or changes their schema.
    /// Until the copy is complete, no server uses the place.
    ///
    /// - Parameter opened: The open place; `nil` if it is a store that does not exist.
    func begin(
        _ opened: Opened?, _ facts: ServedFacts, schema: Schema, from source: String, _ console: Console
    ) async throws -> Opened {
        switch (self, opened) {
        case (.store(let access), _):
            try await opened?.close()
            let store = try access.openForWriting(schema: ServerModels.adding(to: schema), console: console)
            try await LogContent(store, schema: schema).begin(facts, from: source)
            return .store(store)
        case (.database, .database(let link)?):
            try await link.begin(facts, schema: schema, from: source)
            return .database(link)
        case (.database, _): preconditionFailure("a database is open")
        }
    }
}

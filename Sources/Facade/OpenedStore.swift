import Foundation

/// An open store and its engine.
struct OpenedStore: Sendable {
    let store: DataStore
    let engine: SyncEngine
    let models: RegisteredModels
    /// The client for calls of the API; `nil` if the app has no server.
    let client: GraphQLClient?

    /// The server for calls of ``Amplify/API``.
    struct Server: Sendable {
        let client: GraphQLClient
        let models: RegisteredModels
    }

    /// Opens the store of `plugin`, and makes its engine.
    ///
    /// - Parameter server: The data about the server in the configuration file.
    init(_ plugin: AWSDataStorePlugin, _ api: AWSAPIPlugin?, _ server: SyncConfiguration) async throws {
        let registration = plugin.registration
        store = try await DataStore.open(
            at: plugin.directory ?? URL.supportDirectory, schema: registration.schema, adapter: .lmdb())
        models = RegisteredModels(store: store, registration)
        let authorization = api?.authorization(server)
        engine = try SyncEngine(
            store: store, authorization: authorization,
            configuration: plugin.configuration.syncConfiguration(server, models), startup: .manual)
        let events = engine.events
        Task { [models] in
            for await event in events {
                if case .missed(let count) = event {
                    Amplify.Logging.warn("The hub's listeners missed \(count) events.")
                }
                guard let payload = await models.payload(of: event) else { continue }
                Amplify.Hub.dispatch(to: .dataStore, payload: payload)
            }
        }
        if let endpoint = server.endpoint, let authorization {
            client = try GraphQLClient(endpoint: endpoint, authorization: authorization, schema: registration.schema)
        } else {
            client = nil
        }
    }

    /// Starts the sync engine, without waiting for it, unless it runs.
    func startSyncing() {
        if engine.status.state == .stopped { engine.requestStart() }
    }

    /// The server.
    ///
    /// - Throws: ``APIError`` if there is none.
    func server() throws -> Server {
        guard let client else { throw APIError.noServer }
        return Server(client: client, models: models)
    }
}

extension OpenedStore {
    /// The Swift types of a store's models, by name.
    struct RegisteredModels: Sendable {
        let store: DataStore
        private let types: [String: any Model.Type]

        init(store: DataStore, _ registration: any AmplifyModelRegistration) {
            self.store = store
            types = Dictionary(
                registration.models.map { ($0.schema.name, $0) }, uniquingKeysWith: { first, _ in first })
        }

        /// The Swift value with the fields of `record`.
        ///
        /// - Throws: ``DataStoreError`` with the code `unknownModel`, or the errors of ``Model/init(_:in:)``.
        func value(of record: Record) throws -> any Model {
            guard let type = types[record.model] else {
                throw DataStoreError(
                    .unknownModel, "No model called \(record.model) is registered.", model: record.model,
                    recovery: "Register the models of the schema that the store has.")
            }
            return try type.init(record, in: store)
        }

        /// The fields of `value`.
        func record(of value: some Model) throws -> Record { try Record(value, in: store) }
    }
}

extension URL {
    /// The directory for the store of this app.
    fileprivate static var supportDirectory: URL {
        #if !canImport(Darwin)
            let environment = ProcessInfo.processInfo.environment
            let home = URL(filePath: environment["HOME"] ?? NSHomeDirectory())
            let base = environment["XDG_DATA_HOME"].map { URL(filePath: $0) } ?? home.appending(path: ".local/share")
            let name = URL(filePath: CommandLine.arguments.first ?? "app").lastPathComponent
            return base.appending(path: name).appending(path: "tidelog")
        #else
            URL.applicationSupportDirectory.appending(path: Bundle.main.bundleIdentifier ?? "tidelog")
                .appending(path: "tidelog")
        #endif
    }
}

import Foundation
import Synchronization

/// An open store and its engine.
struct OpenedStore: Sendable {
    let store: DataStore
    let engine: SyncEngine
    let models: RegisteredModels
    /// The client for calls of the API; `nil` if the app has no server.
    let client: GraphQLClient?

    /// Starts the sync engine, without waiting for it, unless it runs.
    func startSyncing() {
        if engine.status.state == .stopped { engine.requestStart() }
    }

    /// The server.
    ///
    /// - Throws: ``APIError`` if there is none.
    func server() throws -> APIServer {
        guard let client else { throw APIError.noServer }
        return APIServer(client: client, models: models)
    }
}

/// The store of one call of `configure`, from the start of its opening until it is closed.
final class Session: Sendable {
    private struct State {
        var opening: Task<OpenedStore, any Error>?
        var opened: OpenedStore?
    }

    private let state = Mutex(State())

    /// The store, if it is open already.
    var current: OpenedStore? { state.withLock { $0.opened } }

    /// The store, after it is open.
    ///
    /// - Throws: The error of opening the store.
    func opened() async throws -> OpenedStore {
        let (opened, opening) = state.withLock { ($0.opened, $0.opening) }
        if let opened { return opened }
        guard let opening else { throw DataStoreError.notConfigured }
        return try await opening.value
    }

    /// Begins to open the store.
    ///
    /// - Parameter server: The data about the server in the configuration file.
    func open(_ plugin: AWSDataStorePlugin, _ api: AWSAPIPlugin?, _ server: SyncConfiguration) {
        let task = Task {
            do {
                let opened = try await Self.open(plugin, api, server)
                state.withLock { $0.opened = opened }
                return opened
            } catch {
                plugin.configuration.errorHandler(error as? any AmplifyError ?? DataStoreError(error))
                throw error
            }
        }
        state.withLock { $0.opening = task }
    }

    private static func open(
        _ plugin: AWSDataStorePlugin, _ api: AWSAPIPlugin?, _ server: SyncConfiguration
    ) async throws -> OpenedStore {
        let registration = plugin.registration
        let store = try await DataStore.open(
            at: plugin.directory ?? URL.supportDirectory, schema: registration.schema, adapter: .lmdb())
        let models = RegisteredModels(store: store, registration)
        let authorization = api?.authorization(server)
        let engine = try SyncEngine(
            store: store, authorization: authorization,
            configuration: plugin.configuration.syncConfiguration(server, models), startup: .manual)
        let events = engine.events
        Task {
            for await event in events {
                if case .missed(let count) = event {
                    Amplify.Logging.warn("The hub's listeners missed \(count) events.")
                }
                guard let payload = await models.payload(of: event) else { continue }
                Amplify.Hub.dispatch(to: .dataStore, payload: payload)
            }
        }
        var client: GraphQLClient?
        if let endpoint = server.endpoint, let authorization {
            client = try GraphQLClient(
                endpoint: endpoint, authorization: authorization, schema: registration.schema)
        }
        return OpenedStore(store: store, engine: engine, models: models, client: client)
    }

    /// Stops the engine and closes the store.
    func close() async {
        guard let opened = try? await opened() else { return }
        await opened.engine.stop()
        try? await opened.store.close()
    }
}

extension URL {
    /// The directory for the store of this app.
    fileprivate static var supportDirectory: URL {
        #if os(Linux)
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

import Foundation
import TidelogSynchronization

/// The added plugins and the configured store. This is the only global state of Tidelog.
final class Configuration: Sendable {
    static let shared = Configuration()

    private struct State {
        var dataStore: AWSDataStorePlugin?
        var api: AWSAPIPlugin?
        var session: Session?
    }

    private let state = Mutex(State())

    /// The store and its engine, after they are open.
    ///
    /// - Throws: ``DataStoreError`` with the code `notConfigured`, or the error of opening the store.
    func opened() async throws -> OpenedStore { try await session().opened() }

    /// The store and its engine, if they are open already.
    var current: OpenedStore? { state.withLock { $0.session }?.current }

    private func session() throws -> Session {
        guard let session = state.withLock({ $0.session }) else { throw DataStoreError.notConfigured }
        return session
    }

    func add(_ plugin: some Plugin) throws {
        try state.withLock { state in
            guard state.session == nil else {
                throw ConfigurationError(
                    "The plugin \(plugin.key) was added after Amplify.configure().",
                    recovery: "Add all plugins before it.")
            }
            switch plugin {
            case let plugin as AWSDataStorePlugin where state.dataStore == nil: state.dataStore = plugin
            case let plugin as AWSAPIPlugin where state.api == nil: state.api = plugin
            case is AWSDataStorePlugin, is AWSAPIPlugin:
                throw ConfigurationError("The plugin \(plugin.key) was added before.", recovery: "Add it once.")
            default:
                throw ConfigurationError(
                    "There is no category for the plugin \(plugin.key).",
                    recovery: "Add an AWSDataStorePlugin or an AWSAPIPlugin.")
            }
        }
    }

    /// - Parameter file: A configuration file of Amplify; `nil` for a store that stays on this device.
    func configure(_ file: URL?) throws {
        try state.withLock { state in
            guard state.session == nil else {
                throw ConfigurationError(
                    "Amplify.configure() was called before.", recovery: "Call it once, when the app starts.")
            }
            guard let plugin = state.dataStore else {
                throw ConfigurationError(
                    "No AWSDataStorePlugin was added.", recovery: "Add one before you call Amplify.configure().")
            }
            var server = SyncConfiguration()
            if let file, state.api != nil {
                do { server = try SyncConfiguration(contentsOf: file) } catch {
                    throw ConfigurationError(
                        "The configuration \(file.path) cannot be used.", recovery: "\(error)", underlying: error)
                }
            }
            let session = Session()
            session.open(plugin, state.api, server)
            state.session = session
        }
    }

    func reset() async {
        let session = state.withLock { state in
            let session = state.session
            state = State()
            return session
        }
        await session?.close()
    }

    /// The configuration file of the main bundle or of the working directory, if there is one.
    static func file() -> URL? {
        let names = ["amplifyconfiguration.json", "amplify_outputs.json"]
        let working = URL(filePath: FileManager.default.currentDirectoryPath)
        let places = [Bundle.main.resourceURL, Bundle.main.bundleURL, working].compactMap { $0 }
        return places.flatMap { place in names.map { place.appending(path: $0) } }
            .first { FileManager.default.fileExists(atPath: $0.path) }
    }
}

extension Configuration {
    /// The store of one call of `configure`, from the start of its opening until it is closed.
    final class Session: Sendable {
        private enum State {
            case new
            /// The store is being opened, or could not be opened.
            case opening(Task<OpenedStore, any Error>)
            case opened(OpenedStore)
        }

        private let state = Mutex(State.new)

        /// The store, if it is open already.
        var current: OpenedStore? {
            if case .opened(let store) = state.withLock({ $0 }) { store } else { nil }
        }

        /// The store, after it is open.
        ///
        /// - Throws: The error of opening the store.
        func opened() async throws -> OpenedStore {
            switch state.withLock({ $0 }) {
            case .new: throw DataStoreError.notConfigured
            case .opening(let task): return try await task.value
            case .opened(let store): return store
            }
        }

        /// Begins to open the store.
        ///
        /// - Parameter server: The data about the server in the configuration file.
        func open(_ plugin: AWSDataStorePlugin, _ api: AWSAPIPlugin?, _ server: SyncConfiguration) {
            let task = Task {
                do {
                    let opened = try await OpenedStore(plugin, api, server)
                    state.withLock { $0 = .opened(opened) }
                    return opened
                } catch {
                    plugin.configuration.errorHandler(error as? any AmplifyError ?? DataStoreError(error))
                    throw error
                }
            }
            // The task may have opened the store already.
            state.withLock { state in
                if case .new = state { state = .opening(task) }
            }
        }

        /// Stops the engine and closes the store.
        func close() async {
            guard let opened = try? await opened() else { return }
            await opened.engine.stop()
            try? await opened.store.close()
        }
    }
}

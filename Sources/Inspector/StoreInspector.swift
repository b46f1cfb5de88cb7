internal import TidelogAgreement
public import TidelogCore
internal import TidelogServer

/// A page in the browser that shows a store: its records, their history, the log, unsent changes and consumers.
///
/// ```swift
/// #if DEBUG
///     let inspector = try await store.inspect()
///     print(inspector.address)
/// #endif
/// ```
///
/// Only programs on this computer can reach the page, and only with the address, which contains a random token. The page can
/// retry and discard changes that a server refused. Everything else only reads. Use it in debug builds: a program that knows
/// the address can read every record.
public final class StoreInspector: Sendable {
    /// The address of the page, for a browser on this computer.
    public let address: String

    private let listener: Listener

    private init(_ listener: Listener, token: String) {
        self.listener = listener
        address = "http://\(InspectorEndpoint.host):\(listener.port)/\(token)/"
    }

    /// Starts the page of `store` on `port`. Port 0 lets the system choose one.
    ///
    /// - Throws: ``DataStoreError`` with code `inputOutput` if the port cannot be used.
    package static func start(_ store: InspectedStore, port: Int = 0) async throws -> StoreInspector {
        let token = Base64URL.encode(try Secrets.randomBytes(24))
        let endpoint = InspectorEndpoint(token: token, store: store)
        do {
            let listener = try await Listener.start(
                Listener.Configuration(host: InspectorEndpoint.host, port: port),
                service: ListenerService(
                    admit: { endpoint.admit($0) }, respond: { await endpoint.respond(to: $0) },
                    accept: { _ in .refuse(InspectorEndpoint.forbidden) },
                    refuse: { refusal, _ in InspectorEndpoint.response(to: refusal) }))
            return StoreInspector(listener, token: token)
        } catch {
            throw DataStoreError(
                .inputOutput, "The page cannot be served: \(error.message)", recovery: "Choose another port.")
        }
    }

    /// Ends the page. The store stays open.
    public func stop() async { await listener.stop(within: .seconds(1)) }
}

extension DataStore {
    /// Opens a page in the browser that shows this store: ``StoreInspector``.
    ///
    /// - Parameter port: The port of the page; 0 lets the system choose one.
    /// - Throws: ``DataStoreError``: `inputOutput` if the port cannot be used; `closed`.
    public func inspect(port: Int = 0) async throws -> StoreInspector {
        try await StoreInspector.start(InspectedStore(self), port: port)
    }
}

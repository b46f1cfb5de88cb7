internal import TidelogCore

/// A running server: a listener, the service that answers its requests, and background tasks.
package final class Server: Sendable {
    /// The configuration of a server.
    package struct Configuration: Sendable {
        /// The address, TLS and limits of the listener.
        package var listener: Listener.Configuration
        /// The options of the service.
        package var options = ServiceOptions()
        /// The authenticator, which recognises callers.
        package var authenticator: Authenticator
        /// Clock and random bytes.
        package var environment = Service.Environment.system
        /// Called with each answered request. The function must not block.
        package var log: (@Sendable (ServedRequest) -> Void)?
        /// Called with notices for the operator, as sentences. The function must not block.
        package var notice: @Sendable (String) -> Void = { _ in }

        package init(listener: Listener.Configuration, authenticator: Authenticator) {
            (self.listener, self.authenticator) = (listener, authenticator)
        }
    }

    private let listener: Listener
    private let backgroundTasks: BackgroundTasks

    private init(_ listener: Listener, _ backgroundTasks: BackgroundTasks) {
        self.listener = listener
        self.backgroundTasks = backgroundTasks
    }

    /// Starts a server for `api` over `store`. Clients get responses as soon as this method returns.
    ///
    /// - Throws: ``ListenerError``; ``TypeSystemError`` if the API is not a valid schema; the errors of the store.
    package static func start(
        _ api: API, over store: any VersionedStore, _ configuration: Configuration
    ) async throws -> Server {
        var options = configuration.options
        options.defaultProvider = configuration.authenticator.defaultProvider
        let service = try await Service(api, store, options: options, environment: configuration.environment)
        let subscriptions = Subscriptions(service)
        let feed = SubscriberFeed(store, subscriptions, notice: configuration.notice)
        let realTime = RealTimeEndpoint(
            subscriptions, feed: feed, authenticator: configuration.authenticator,
            clock: configuration.environment.clock)
        let endpoint = HTTPEndpoint(
            service: service, store: store, authenticator: configuration.authenticator,
            environment: configuration.environment, log: configuration.log)
        let listener = try await Listener.start(
            configuration.listener,
            service: ListenerService(
                admit: { endpoint.admit($0) }, respond: { await endpoint.respond(to: $0) },
                accept: { realTime.accept($0) },
                refuse: { refusal, client in
                    if refusal == .encrypted { configuration.notice(Self.speaksTLS(client)) }
                    return HTTPEndpoint.refuse(refusal)
                }))
        listener.notices.forEach(configuration.notice)
        let backgroundTasks = BackgroundTasks(
            store, feed: feed, realTime: realTime, tombstoneAge: options.tombstoneAge,
            clock: configuration.environment.clock, notice: configuration.notice)
        return Server(listener, backgroundTasks)
    }

    /// The notice about a client that begins a TLS handshake with a server without TLS. The client itself only reports that the
    /// handshake has failed.
    private static func speaksTLS(_ client: String) -> String {
        "A client at \(client) speaks TLS (https or wss), and this server does not: start it with --tls-cert and --tls-key,"
            + " or give the client an address with http or ws."
    }

    /// The port of the listener.
    package var port: Int { listener.port }

    /// Stops the server. It finishes the responses that have begun, except responses that take longer than `time`.
    package func stop(within time: Duration = .seconds(10)) async {
        await listener.stop(within: time)
        await backgroundTasks.stop()
    }
}

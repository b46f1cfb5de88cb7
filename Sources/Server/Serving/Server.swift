internal import TidelogCore

/// A server at work: a service behind a listener, with what it does by itself from time to time.
package final class Server: Sendable {
    /// How a server is set up.
    package struct Configuration: Sendable {
        /// Where it listens.
        package var listener: ListenerConfiguration
        /// How its service answers.
        package var options = ServiceOptions()
        /// Whom it serves.
        package var authenticator: Authenticator
        /// Clock and random bytes.
        package var environment = ServiceEnvironment.system
        /// Told of each request that was answered. It must not block.
        package var log: (@Sendable (ServedRequest) -> Void)?
        /// Told, in sentences, what the operator should know. It must not block.
        package var notice: @Sendable (String) -> Void = { _ in }

        package init(listener: ListenerConfiguration, authenticator: Authenticator) {
            (self.listener, self.authenticator) = (listener, authenticator)
        }
    }

    private let listener: Listener
    private let chores: Chores

    private init(_ listener: Listener, _ chores: Chores) { (self.listener, self.chores) = (listener, chores) }

    /// Serves `api` over `store`. Clients are answered once this returns.
    ///
    /// - Throws: ``ListenerError``; ``TypeSystemError`` if the API is no valid schema; what the store throws.
    package static func start(
        _ api: API, over store: any VersionedStore, _ configuration: Configuration
    ) async throws -> Server {
        var options = configuration.options
        options.defaultProvider = configuration.authenticator.defaultProvider
        let service = try await Service(api, store, options: options, environment: configuration.environment)
        let subscriptions = Subscriptions(service)
        let realTime = RealTimeEndpoint(
            subscriptions, authenticator: configuration.authenticator, clock: configuration.environment.clock)
        let endpoint = HTTPEndpoint(
            service: service, store: store, authenticator: configuration.authenticator,
            environment: configuration.environment, log: configuration.log)
        let listener = try await Listener.start(
            configuration.listener,
            service: ListenerService(
                admit: { endpoint.admit($0) }, respond: { await endpoint.respond(to: $0) },
                accept: { realTime.accept($0) },
                refuse: { HTTPEndpoint.refuse($0) }))
        listener.notices.forEach(configuration.notice)
        let chores = Chores(
            store, subscriptions: subscriptions, realTime: realTime, tombstoneAge: options.tombstoneAge,
            clock: configuration.environment.clock, notice: configuration.notice)
        return Server(listener, chores)
    }

    /// The port it listens on.
    package var port: Int { listener.port }

    /// Stops. Requests that are being answered are answered, but for those that take longer than `time`.
    package func stop(within time: Duration = .seconds(10)) async {
        await listener.stop(within: time)
        await chores.stop()
    }
}

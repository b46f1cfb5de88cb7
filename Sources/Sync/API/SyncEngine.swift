// A file that imports Sync sees the status, the events and the errors of a sync too.
@_exported public import TidelogClientMachines
@_spi(Adapters) public import TidelogCore
public import TidelogFoundation

/// A sync engine. It receives the server's changes and sends the changes that were made on this device.
///
/// ```swift
/// let engine = try SyncEngine(store: store, endpoint: url, authorization: .apiKey(key), startup: .manual)
/// let report = await engine.runOnce()
/// print(report.sent, report.received, report.pending)
///
/// for await status in engine.statuses { bar.progress = status.fractionCompleted }
/// ```
///
/// Writes never wait for the engine and never fail because of it. The engine keeps its whole state in the store's log. An
/// engine that was killed at any moment therefore continues where it stopped, and sends no change twice.
public final class SyncEngine: Sendable {
    /// The way in which an engine starts.
    public enum Startup: Sendable, Hashable {
        /// The engine starts at once, and again after failures.
        case automatic
        /// The engine starts when ``SyncEngine/start(adoptingServer:)`` or ``SyncEngine/runOnce(until:)`` is called.
        case manual
    }

    let settings: SyncSettings
    private let mailbox = SyncMailbox()
    private let calls = SyncCalls()
    private let broadcast: SyncBroadcast
    private let network: any NetworkMonitor
    /// The server; `nil` for a store that stays on this device.
    let server: SyncServer?

    /// Makes an engine for `store` and the server at `endpoint`.
    ///
    /// - Parameters:
    ///   - endpoint: The URL of the server's GraphQL API.
    ///   - configuration: The settings of the app.
    ///   - startup: When the engine starts.
    ///   - transport: The transport for requests. The default is the system's.
    /// - Throws: ``SyncError`` with the code `invalidConfiguration`; ``DataStoreError`` with the code `closed`.
    public convenience init(
        store: DataStore, endpoint: URL, authorization: GraphQLAuthorization,
        configuration: SyncConfiguration = SyncConfiguration(), startup: Startup = .automatic,
        transport: any Transport = SystemTransport()
    ) throws {
        try self.init(
            store: store, endpoint: endpoint, authorization: authorization, configuration: configuration,
            startup: startup, transport: transport, notify: { _ in })
    }

    /// Makes an engine for `store` and the server that `configuration` names. ``SyncConfiguration/init(contentsOf:)`` reads
    /// such a configuration from Amplify's files.
    ///
    /// Without an endpoint the store stays on this device. The state of the engine is then `localOnly`, and
    /// ``start(adoptingServer:)`` changes nothing. An app that has no server, or does not know it yet, can therefore use the
    /// same code as an app with a server.
    ///
    /// - Parameters:
    ///   - authorization: The credentials; `nil` for the configuration's API key.
    ///   - startup: When the engine starts.
    ///   - transport: The transport for requests. The default is the system's.
    /// - Throws: ``SyncError`` with the code `invalidConfiguration`, for example if there is an endpoint but no credentials;
    ///   ``DataStoreError`` with the code `closed`.
    public convenience init(
        store: DataStore, authorization: GraphQLAuthorization? = nil,
        configuration: SyncConfiguration = SyncConfiguration(), startup: Startup = .automatic,
        transport: any Transport = SystemTransport()
    ) throws {
        let authorization = authorization ?? configuration.apiKey.map { .apiKey($0) }
        if let endpoint = configuration.endpoint, authorization == nil {
            throw SyncError(
                .invalidConfiguration, "There are no credentials for \(endpoint.absoluteString).",
                recovery: "Give the engine an authorization, or a configuration with an API key.")
        }
        try self.init(
            store: store, endpoint: configuration.endpoint, authorization: authorization ?? .apiKey(""),
            configuration: configuration, startup: startup, transport: transport, notify: { _ in })
    }

    /// - Parameters:
    ///   - endpoint: The server's URL; `nil` for a store that stays on this device.
    ///   - network: Knows whether there is a network.
    ///   - notify: Called with each step of the engine.
    package init(
        store: DataStore, endpoint: URL?, authorization: GraphQLAuthorization,
        configuration: SyncConfiguration = SyncConfiguration(), startup: Startup, transport: any Transport,
        network: any NetworkMonitor = SystemNetworkMonitor(), notify: @escaping @Sendable (SyncMachine.Notice) -> Void
    ) throws {
        do throws(GraphQLClientError) { try authorization.check() } catch { throw SyncError.invalid(error) }
        let layout = try store.layout
        let declared = layout.code ?? layout.schema.declared
        let models = SyncModels(declared)
        try configuration.check(models)
        var operations: [String: SyncOperations] = [:]
        for name in models.names {
            operations[name] = SyncOperations(try layout.required(name), declaredBy: declared)
        }
        let all = models.names.compactMap { operations[$0] }
        if endpoint != nil, let clash = SyncOperations.clash(among: all) { throw clash }
        var machine = SyncMachine.Settings(models)
        machine.startup = startup == .automatic ? .automatic : .manual
        machine.syncProtocol = configuration.protocol
        machine.mutationsPerRequest = configuration.mutationsPerRequest
        machine.inbox.pageSize = configuration.syncPageSize
        machine.inbox.maximumRecords = configuration.syncMaxRecords
        machine.inbox.syncInterval = configuration.syncInterval.components.seconds * 1_000
        // A key stays the same, so trying it again would not help.
        machine.credentialTries = authorization.allModes == [.apiKey] ? 1 : 3
        settings = SyncSettings(
            store: store, layout: layout, conflictHandler: configuration.conflictHandler,
            expressions: Dictionary(configuration.syncExpressions.map { ($0.model, $0) }) { first, _ in first },
            machine: machine, handleError: configuration.errorHandler, notify: notify)
        _ = try settings.scope()
        broadcast = SyncBroadcast(SyncStatus(endpoint == nil ? .localOnly : .stopped, models: models.names))
        server = endpoint.map { endpoint in
            SyncServer(
                GraphQLEndpoint(endpoint, authorization, transport), configuration.authModeStrategy, models,
                operations: operations)
        }
        self.network = network
        guard let server else { return }
        network.start { [mailbox] in mailbox.add(.network(isAvailable: $0)) }
        Task { [settings, mailbox, broadcast, calls] in
            await DeviceEnvironment(settings, server, mailbox, broadcast, calls).run()
        }
        if startup == .automatic { mailbox.add(.start(isSingleRun: false)) }
    }

    deinit {
        network.stop()
        mailbox.add(.end)
        if server == nil { broadcast.finish() }
    }

    // MARK: Starting and stopping

    /// Starts the engine, unless it runs. Without a session the engine waits and syncs nothing. It asks the provider of tokens
    /// again after a while, or at once if this method is called after the user has signed in.
    ///
    /// If another engine of this process syncs the store, this engine follows: it begins when the active engine ends. A store
    /// that is open for reading only is synced by the process that writes it.
    ///
    /// - Parameter adoptingServer: Whether the engine's server becomes the server of a store that was synced with another
    ///   server, for example because the server has another address now. The method then stops the engine, asks the server for
    ///   its records, and adopts it if it has most of the records that the store knows, in the same or in a later version.
    ///   Nothing is sent before that. Pending and set-aside changes are kept.
    /// - Throws: ``SyncError`` with the code `identityChanged` if the store was synced with another server or as another
    ///   person. This remains so until the server is adopted, or until ``clear(discardingUnsent:)`` has emptied the store. A
    ///   call that adopts a server also throws the codes `unrelatedServer`, `unauthorized`, and `unreachable` if the server
    ///   gives no usable answer for a minute. ``DataStoreError``.
    public func start(adoptingServer: Bool = false) async throws {
        guard let server else { return broadcast.send(.networkStatus(active: false)) }
        if adoptingServer { try await adoptServer(patience: .seconds(60)) }
        // Without a token the person is unknown. The engine then asks the provider of tokens later.
        if !settings.store.isReadOnly, let identity = try? await server.identity() {
            try await SyncStore(settings.store, settings.models).expect(identity)
        }
        mailbox.add(.start(isSingleRun: false))
    }

    /// Starts the engine in the way of ``start(adoptingServer:)``, unless it runs, and does not wait. A failure becomes an
    /// event and is passed to the error handler.
    public func requestStart() { mailbox.add(.start(isSingleRun: false)) }

    /// Stops the engine. When this method returns, the engine writes nothing any more. Only ``start(adoptingServer:)``
    /// starts it again.
    public func stop() async {
        guard server != nil else { return }
        await withCheckedContinuation { continuation in
            let call = calls.next()
            calls.wait(stop: call, continuation)
            mailbox.add(.stop(call: call))
        }
    }

    /// Stops the engine and empties the store, for example for another user or another server.
    ///
    /// - Parameter discardingUnsent: Whether local changes that no server has accepted may be lost.
    /// - Throws: ``SyncError`` with the code `unsentChanges` and their number if there are such changes and they may not be
    ///   lost. In this case nothing is changed, and an engine that ran is started again. ``DataStoreError``.
    public func clear(discardingUnsent: Bool = false) async throws {
        let hasRun = ![.stopped, .localOnly].contains(status.state)
        await stop()
        let syncStore = SyncStore(settings.store, settings.models)
        while true {
            let head = try settings.store.head
            if !discardingUnsent, server != nil {
                let count = try await syncStore.unsentCount()
                if count > 0 {
                    if hasRun { mailbox.add(.start(isSingleRun: false)) }
                    throw SyncError.unsentChanges(count)
                }
            }
            // A change that was made in the meantime was not counted, so the count is repeated.
            if try await settings.store.clear(onlyAt: discardingUnsent ? nil : head) { return }
        }
    }

    // MARK: Syncing once

    /// Starts the engine unless it runs, sends and receives everything once, and stops the engine. An engine that did not run
    /// opens no WebSocket for that.
    ///
    /// - Parameter deadline: The latest time at which the engine stops; `nil` for no limit. The next run continues from there.
    /// - Returns: What was sent and received. ``SyncReport/failure`` says why it is not everything, for example with the code
    ///   `deadlinePassed`.
    public func runOnce(until deadline: ContinuousClock.Instant? = nil) async -> SyncReport {
        await runOnce(until: deadline, patience: nil)
    }

    /// - Parameter patience: The longest time during which the server may give no answer; `nil` for any time.
    package func runOnce(until deadline: ContinuousClock.Instant?, patience: Duration?) async -> SyncReport {
        mailbox.add(.start(isSingleRun: true))
        let report = await wait(for: .settled, until: deadline, patience: patience)
        await stop()
        return report
    }

    /// Waits until the sync has caught up. When this method returns, the store has everything that the server had at the call.
    /// Every local change from before the call is on the server or was set aside. The engine continues to run.
    ///
    /// This method waits as long as the server cannot be reached. Cancel the task to give up.
    ///
    /// - Throws: ``SyncError`` with the code `stopped` if the engine does not run or is stopped, `localOnly`, `store`;
    ///   `CancellationError`.
    public func catchUp() async throws {
        let report = await wait(for: .caughtUp(try settings.store.head.sequence), until: nil, patience: nil)
        try Task.checkCancellation()
        if let failure = report.failure { throw failure }
    }

    private func wait(
        for kind: SyncMachine.Goal.Kind, until deadline: ContinuousClock.Instant?, patience: Duration?
    ) async -> SyncReport {
        guard server != nil else {
            var report = SyncReport()
            report.failure = .localOnly
            return report
        }
        while true {
            // The engine may not know yet that the store was resumed.
            if isStoreOpen { mailbox.add(.resumed) }
            let report = await waitOnce(for: kind, until: deadline, patience: patience)
            let isSuspended = (report.failure?.underlying as? DataStoreError)?.code == .suspended
            let isLate = deadline.map { $0 <= .now } ?? false
            guard isSuspended, isStoreOpen, !isLate, !Task.isCancelled else { return report }
        }
    }

    private var isStoreOpen: Bool { (try? settings.store.head) != nil }

    /// Waits until the goal is reached, or until the engine ends, also because the store is suspended.
    private func waitOnce(
        for kind: SyncMachine.Goal.Kind, until deadline: ContinuousClock.Instant?, patience: Duration?
    ) async -> SyncReport {
        let number = calls.next()
        let wait = deadline.map { max(0, ($0 - .now).milliseconds) }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                calls.wait(goal: number, continuation)
                let goal = SyncMachine.Goal(kind, number: number, patience: patience?.milliseconds, wait: wait)
                mailbox.add(.await(goal))
                if Task.isCancelled { mailbox.add(.giveUp(goal: number)) }
            }
        } onCancel: {
            mailbox.add(.giveUp(goal: number))
        }
    }

    // MARK: Observing

    /// The engine's events from now on. The first sequence also contains the events since the engine was made.
    ///
    /// Each sequence receives every event. If 1,000 events wait in a sequence, it misses later events and says how many.
    public var events: AsyncStream<SyncEvent> { broadcast.events() }

    /// The engine's current status.
    public var status: SyncStatus { broadcast.status }

    /// The engine's current status, followed by each later one. A slow receiver only receives the latest status.
    public var statuses: AsyncStream<SyncStatus> { broadcast.statuses() }

    /// Tells the engine whether a network is available. If the network returns, every wait for the next try ends.
    ///
    /// On Apple's systems the engine asks the system. On other systems an app that knows may call this method, and without such
    /// calls the engine finds out by trying.
    public func networkChanged(isAvailable: Bool) { mailbox.add(.network(isAvailable: isAvailable)) }
}

extension Duration {
    fileprivate var milliseconds: Int64 {
        components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
    }
}

extension SyncConfiguration {
    /// - Throws: ``SyncError`` with the code `invalidConfiguration`.
    fileprivate func check(_ models: SyncModels) throws {
        func refuse(_ message: String, _ recovery: String) -> SyncError {
            SyncError(.invalidConfiguration, message, recovery: recovery)
        }
        guard (1...1_000).contains(syncPageSize) else {
            throw refuse("syncPageSize is \(syncPageSize).", "Use a number from 1 to 1,000.")
        }
        guard (1...100).contains(mutationsPerRequest) else {
            throw refuse("mutationsPerRequest is \(mutationsPerRequest).", "Use a number from 1 to 100.")
        }
        guard syncMaxRecords >= 1 else {
            throw refuse("syncMaxRecords is \(syncMaxRecords).", "Use a number of at least 1.")
        }
        guard syncInterval >= .zero else {
            throw refuse("syncInterval is negative.", "Use a duration that is not negative.")
        }
        for expression in syncExpressions where models[expression.model] == nil {
            throw refuse(
                "A sync expression names \(expression.model), which is no model that is synced.",
                "Use the name of a model of the schema that is not kept on this device alone.")
        }
    }
}

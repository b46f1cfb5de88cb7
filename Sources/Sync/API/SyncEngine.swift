@_spi(Adapters) public import TidelogCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Syncs a store with a server: it receives the server's changes, and sends the changes that were made here.
///
/// ```swift
/// let engine = try SyncEngine(store: store, endpoint: url, authorization: .apiKey(key), startup: .manual)
/// let report = await engine.runOnce()
/// print(report.sent, report.received, report.pending)
///
/// for await status in engine.statuses { bar.progress = status.fractionCompleted }
/// ```
///
/// Writes never wait for the engine and never fail because of it. Everything that it needs to know is in the store's log:
/// an engine that was killed at any moment continues from there, and sends no change twice.
public final class SyncEngine: Sendable {
    /// When an engine starts.
    public enum Startup: Sendable, Hashable {
        /// At once, and again after failures.
        case automatic
        /// When ``SyncEngine/start()`` or ``SyncEngine/runOnce(until:)`` is called.
        case manual
    }

    let settings: SyncSettings
    private let mailbox = SyncMailbox()
    private let broadcast: SyncBroadcast
    /// The server; `nil` for a store that stays on this device.
    let server: SyncServer?

    /// An engine for `store` and the server at `endpoint`.
    ///
    /// - Parameters:
    ///   - endpoint: The server's address of GraphQL.
    ///   - configuration: The choices of the app.
    ///   - startup: When the engine starts.
    ///   - transport: The network; libcurl's unless another one is given.
    /// - Throws: ``SyncError`` with the code `invalidConfiguration`; ``DataStoreError`` with the code `closed`.
    public convenience init(
        store: DataStore, endpoint: URL, authorization: GraphQLAuthorization,
        configuration: SyncConfiguration = SyncConfiguration(), startup: Startup = .automatic,
        transport: any Transport = CurlTransport()
    ) throws {
        try self.init(
            store: store, endpoint: endpoint, authorization: authorization, configuration: configuration,
            startup: startup, transport: transport, notify: { _ in })
    }

    /// An engine for `store` and the server that `configuration` names, as
    /// ``SyncConfiguration/init(contentsOf:)`` reads it from Amplify's files.
    ///
    /// Without an endpoint the store stays on this device: the engine's status says `localOnly`, and ``start()`` changes
    /// nothing. So an app that has no server, or does not know it yet, has the same code as one that has.
    ///
    /// - Parameters:
    ///   - authorization: The credentials; `nil` for the configuration's API key.
    ///   - startup: When the engine starts.
    ///   - transport: The network; libcurl's unless another one is given.
    /// - Throws: ``SyncError`` with the code `invalidConfiguration`, also if there is an endpoint and nothing to show it;
    ///   ``DataStoreError`` with the code `closed`.
    public convenience init(
        store: DataStore, authorization: GraphQLAuthorization? = nil,
        configuration: SyncConfiguration = SyncConfiguration(), startup: Startup = .automatic,
        transport: any Transport = CurlTransport()
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
    ///   - endpoint: The server's address; `nil` for a store that stays on this device.
    ///   - notify: Called with each step of the engine.
    package init(
        store: DataStore, endpoint: URL?, authorization: GraphQLAuthorization,
        configuration: SyncConfiguration = SyncConfiguration(), startup: Startup, transport: any Transport,
        notify: @escaping @Sendable (SyncNotice) -> Void
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
        var (inbox, credentialTries) = (Inbox.Options(), 3)
        inbox.pageSize = configuration.syncPageSize
        inbox.maximumRecords = configuration.syncMaxRecords
        inbox.syncInterval = configuration.syncInterval.components.seconds * 1_000
        // The connection for subscriptions looks after its own silence.
        inbox.silenceLimit = .max / 4
        // A key stays the same however often it is tried.
        if authorization.allModes == [.apiKey] { credentialTries = 1 }
        settings = SyncSettings(
            store: store, layout: layout, models: models, conflictHandler: configuration.conflictHandler,
            expressions: Dictionary(configuration.syncExpressions.map { ($0.model, $0) }) { first, _ in first },
            startup: startup == .automatic ? .automatic : .manual, inbox: inbox, outbox: Outbox.Options(),
            credentialTries: credentialTries, handleError: configuration.errorHandler, notify: notify)
        _ = try settings.scope()
        broadcast = SyncBroadcast(SyncStatus(endpoint == nil ? .localOnly : .stopped, models: models.names))
        server = endpoint.map { endpoint in
            SyncServer(
                GraphQLEndpoint(endpoint, authorization, transport), configuration.authModeStrategy,
                operations: operations)
        }
        guard let server else { return }
        Task { [settings, mailbox, broadcast] in await SyncLoop(settings, server, mailbox, broadcast).run() }
        if startup == .automatic { mailbox.add(.start) }
    }

    deinit {
        mailbox.add(.end)
        if server == nil { broadcast.finish() }
    }

    // MARK: Starting and stopping

    /// Starts, unless the engine runs. Without a session it waits for one, and syncs nothing before: it asks the provider of
    /// tokens again after a while, and at once when this is called after somebody has signed in.
    ///
    /// If another engine of this process syncs the store, the engine follows: it begins when the other one ends. A store that
    /// is open for reading only is synced by the process that writes it.
    ///
    /// - Throws: ``SyncError`` with the code `identityChanged` if the store was synced with another server or as another
    ///   person, until ``clear(discardingUnsent:)`` has emptied it; ``DataStoreError``.
    public func start() async throws {
        guard let server else { return broadcast.send(.networkStatus(active: false)) }
        // Without a token nobody knows who the person is: the engine asks again.
        if !settings.store.isReadOnly, let identity = try? await server.identity() {
            try await SyncStore(settings.store, settings.models).claim(identity)
        }
        mailbox.add(.start)
    }

    /// Starts as ``start()`` does, unless the engine runs, and does not wait. A failure is an event, and the error handler gets
    /// it.
    public func requestStart() { mailbox.add(.start) }

    /// Stops, and returns when the engine will write nothing more. Afterwards only ``start()`` starts it.
    public func stop() async {
        guard server != nil else { return }
        await withCheckedContinuation { mailbox.add(.stop($0)) }
    }

    /// Stops the engine and empties the store, for the next person or another server.
    ///
    /// - Parameter discardingUnsent: Whether local changes that no server has taken may be lost.
    /// - Throws: ``SyncError`` with the code `unsentChanges` and their number if there are any and they may not be lost.
    ///   Nothing is changed then, and an engine that ran is started again. ``DataStoreError``.
    public func clear(discardingUnsent: Bool = false) async throws {
        let hasRun = ![.stopped, .localOnly].contains(status.state)
        await stop()
        let syncStore = SyncStore(settings.store, settings.models)
        while true {
            let head = try settings.store.head
            if !discardingUnsent, server != nil {
                let count = try await syncStore.unsentCount()
                if count > 0 {
                    if hasRun { mailbox.add(.start) }
                    throw SyncError.unsentChanges(count)
                }
            }
            // A change that was made in the meantime was not counted.
            if try await settings.store.clear(onlyAt: discardingUnsent ? nil : head) { return }
        }
    }

    // MARK: Syncing once

    /// Starts unless the engine runs, sends and receives everything once, and stops.
    ///
    /// - Parameter deadline: When the engine stops at the latest; `nil` for never. The next run continues from there.
    public func runOnce(until deadline: ContinuousClock.Instant? = nil) async -> SyncReport {
        await runOnce(until: deadline, patience: nil)
    }

    /// - Parameter patience: For how long the server may give no answer; `nil` for any time.
    package func runOnce(until deadline: ContinuousClock.Instant?, patience: Duration?) async -> SyncReport {
        mailbox.add(.start)
        let report = await wait(for: .settled, until: deadline, patience: patience)
        await stop()
        return report
    }

    /// Returns when everything that the server had at the call is here, and every change that was made here before the call
    /// is on the server or was set aside. The engine goes on.
    ///
    /// It waits as long as the server cannot be reached; cancel the task to give up.
    ///
    /// - Throws: ``SyncError`` with the code `stopped` if the engine does not run or is stopped, `localOnly`, `store`;
    ///   `CancellationError`.
    public func catchUp() async throws {
        let report = await wait(for: .caughtUp(try settings.store.head.sequence), until: nil, patience: nil)
        try Task.checkCancellation()
        if let failure = report.failure { throw failure }
    }

    private func wait(
        for kind: SyncGoal.Kind, until deadline: ContinuousClock.Instant?, patience: Duration?
    ) async -> SyncReport {
        guard server != nil else {
            var report = SyncReport()
            report.failure = .localOnly
            return report
        }
        let number = mailbox.nextGoal()
        let wait = deadline.map { max(0, ($0 - .now).milliseconds) }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                mailbox.add(
                    .await(
                        SyncGoal(
                            kind: kind, number: number, patience: patience?.milliseconds, wait: wait,
                            continuation: continuation)))
                if Task.isCancelled { mailbox.add(.giveUp(goal: number)) }
            }
        } onCancel: {
            mailbox.add(.giveUp(goal: number))
        }
    }

    // MARK: Looking on

    /// The engine's events from now on. The first sequence also has the events since the engine was made.
    ///
    /// Each sequence gets every event. A sequence that is 1,000 events behind misses later ones, and says how many.
    public var events: AsyncStream<SyncEvent> { broadcast.events() }

    /// The engine's status at this moment.
    public var status: SyncStatus { broadcast.status }

    /// The engine's status at this moment, and each later one. A slow receiver gets the latest one alone.
    public var statuses: AsyncStream<SyncStatus> { broadcast.statuses() }

    /// Says whether there is a network, for apps that are told so by the system. A return of the network ends every wait
    /// for the next try. Without such calls the engine finds out by trying.
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

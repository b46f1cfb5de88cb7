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
    let server: SyncServer
    private let mailbox = SyncMailbox()

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

    /// - Parameter notify: Called with each step of the engine.
    package init(
        store: DataStore, endpoint: URL, authorization: GraphQLAuthorization,
        configuration: SyncConfiguration = SyncConfiguration(), startup: Startup, transport: any Transport,
        notify: @escaping @Sendable (SyncNotice) -> Void
    ) throws {
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
        if case .apiKey = authorization { credentialTries = 1 }
        settings = SyncSettings(
            store: store, layout: layout, models: models,
            identity: SyncIdentity(endpoint: endpoint.absoluteString), conflictHandler: configuration.conflictHandler,
            expressions: Dictionary(configuration.syncExpressions.map { ($0.model, $0) }) { first, _ in first },
            startup: startup == .automatic ? .automatic : .manual, inbox: inbox, outbox: Outbox.Options(),
            credentialTries: credentialTries, notify: notify)
        _ = try settings.scope()
        server = SyncServer(GraphQLEndpoint(endpoint, authorization, transport), operations: operations)
        Task { [settings, server, mailbox] in await SyncLoop(settings, server, mailbox).run() }
        if startup == .automatic { mailbox.add(.start) }
    }

    deinit { mailbox.add(.end) }

    /// Starts, unless the engine runs.
    ///
    /// - Throws: ``SyncError`` with the code `identityChanged` if the store was synced with another server;
    ///   ``DataStoreError``.
    public func start() async throws {
        try await SyncStore(settings.store, settings.models).claim(settings.identity)
        mailbox.add(.start)
    }

    /// Stops, and returns when the engine will write nothing more. Afterwards only ``start()`` starts it.
    public func stop() async { await withCheckedContinuation { mailbox.add(.stop($0)) } }

    /// Starts unless the engine runs, sends and receives everything once, and stops.
    ///
    /// - Parameter deadline: When the engine stops at the latest; `nil` for never. The next run continues from there.
    public func runOnce(until deadline: ContinuousClock.Instant? = nil) async -> SyncReport {
        await runOnce(until: deadline, patience: nil)
    }

    /// - Parameter patience: For how long the server may give no answer; `nil` for any time.
    package func runOnce(until deadline: ContinuousClock.Instant?, patience: Duration?) async -> SyncReport {
        mailbox.add(.start)
        let wait = deadline.map { max(0, ($0 - .now).milliseconds) }
        let report = await withCheckedContinuation { continuation in
            mailbox.add(
                .await(SyncGoal(patience: patience?.milliseconds, wait: wait, continuation: continuation)))
        }
        await stop()
        return report
    }
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

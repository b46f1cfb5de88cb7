import Foundation
import ServerSupport
import Tidelog

extension Schema {
    fileprivate static var app: Schema { Schema(models: [Guide.Note.schema]) }
}

extension Guide {
    // MARK: README

    static func firstScreen(_ store: DataStore, _ endpoint: URL, _ key: String) async throws -> SyncEngine {
        let engine = try SyncEngine(store: store, endpoint: endpoint, authorization: .apiKey(key))
        try await store.save(Note(id: "1", title: "Tides"))  // Works offline too. The engine sends the note later.
        for await status in engine.statuses where status.state == .ready && status.pending == 0 { break }
        return engine
    }

    // MARK: Starting

    static func start(at directory: URL, _ file: URL) async throws -> (DataStore, SyncEngine) {
        let store = try await DataStore.open(at: directory, schema: .app, adapter: .lmdb())
        let engine = try SyncEngine(store: store, configuration: SyncConfiguration(contentsOf: file))
        return (store, engine)
    }

    // MARK: Showing the progress

    /// The sentence below the progress bar.
    static func text(for status: SyncStatus) -> String {
        if !status.hasSession { return "Sign in to sync. \(status.pending) changes wait." }
        if status.setAside > 0 { return "The server refused \(status.setAside) changes. Show them?" }
        switch status.state {
        case .localOnly, .stopped: return "Changes stay on this device."
        case .following: return "Another part of the app syncs."
        case .suspended: return "The app is in the background."
        case .waiting: return "Syncing failed: \(status.lastError?.message ?? "")"
        case .connecting where !status.isOnline: return "Offline. \(status.pending) changes wait."
        case .connecting, .querying: return "Syncing. \(status.received) records received."
        case .ready where !status.isOnline: return "Offline. \(status.pending) changes wait."
        case .ready: return status.pending > 0 ? "Sending \(status.pending) changes." : "Everything is synced."
        }
    }

    static func follow(_ engine: SyncEngine, on screen: Screen) async {
        for await status in engine.statuses {
            await screen.show(fraction: status.fractionCompleted, text: text(for: status))
        }
    }

    static func listen(to engine: SyncEngine, on screen: Screen) async {
        for await event in engine.events {
            switch event {
            case .ready: await screen.add("The server's records are here.")
            case .networkStatus(let active): await screen.add(active ? "The server answers." : "No server yet.")
            case .syncReceived(let change): await screen.add("Changed elsewhere: \(change.element.id)")
            case .outboxMutationProcessed(let change): await screen.add("On the server: \(change.element.id)")
            case .failed(let error): await screen.add("\(error.message) \(error.recovery)")
            case .missed(let count): await screen.add("\(count) events came too fast to show.")
            default: break
            }
        }
    }

    // MARK: Changes that the server refused

    static func list(_ store: DataStore, on screen: Screen) async throws {
        let outbox = try SyncOutbox(store)
        for entry in try await outbox.entries() {
            await screen.add("\(entry.operation) \(entry.model) \(entry.id): \(entry.reason ?? "waits")")
        }
    }

    static func decide(_ entry: OutboxEntry, triesAgain: Bool, _ outbox: SyncOutbox) async throws {
        if triesAgain {
            try await outbox.retry(entry.sequence)
        } else {
            try await outbox.discard(entry.sequence)
        }
    }

    // MARK: Conflicts, and a part of the records

    static func configuration(_ file: URL) throws -> SyncConfiguration {
        var configuration = try SyncConfiguration(contentsOf: file)
        configuration.conflictHandler = .custom { conflict in
            guard conflict.model == "Note", let local = conflict.local else { return .applyRemote }
            // The server's note, with the rating of this device.
            var merged = conflict.remote
            merged["rating"] = local["rating"]
            return .retry(merged)
        }
        return configuration
    }

    static func select(_ configuration: inout SyncConfiguration) {
        configuration.syncExpressions = [.syncExpression(Note.self) { Note.keys.rating >= 4 }]
    }

    // MARK: Background tasks

    static func runInBackground(_ engine: SyncEngine) async -> Bool {
        let report = await engine.runOnce(until: .now + .seconds(20))
        let isDone = report.failure == nil && report.pending == 0
        return isDone
    }

    static func closeForm(_ store: DataStore, _ engine: SyncEngine) async throws {
        try await store.save(Note(id: "form", title: "Filled in"))
        try await engine.catchUp()
    }

    // MARK: Signing in and out

    static func authorized(
        _ store: DataStore, _ file: URL, _ account: Account, key: String
    ) throws -> SyncEngine {
        let authorization = GraphQLAuthorization.modes(
            .amazonCognitoUserPools { refreshing in
                guard let session = await account.session else { throw GraphQLAuthorization.SignedOut() }
                return try await session.token(refreshing: refreshing)
            },
            .apiKey(key))
        var configuration = try SyncConfiguration(contentsOf: file)
        configuration.authModeStrategy = .multiAuth
        let engine = try SyncEngine(
            store: store, authorization: authorization, configuration: configuration, startup: .manual)
        return engine
    }

    static func adopt(_ engine: SyncEngine) async throws {
        try await engine.start(adoptingServer: true)
    }

    static func signIn(_ engine: SyncEngine, on screen: Screen) async throws {
        do {
            try await engine.start()
        } catch let error as SyncError where error.code == .identityChanged {
            // The store has the notes of another person.
            if try await signOut(engine, on: screen) { try await engine.start() }
        }
    }

    /// Empties the store for the next person.
    ///
    /// - Returns: Whether the person agreed to lose changes that were not sent.
    static func signOut(_ engine: SyncEngine, on screen: Screen) async throws -> Bool {
        do {
            try await engine.clear()
        } catch let error as SyncError where error.code == .unsentChanges {
            guard await screen.asks("Lose \(error.unsentCount ?? 0) changes?") else { return false }
            try await engine.clear(discardingUnsent: true)
        }
        return true
    }

    // MARK: Asking the server

    static func isTaken(_ title: String, _ endpoint: URL, _ key: String) async throws -> Bool {
        let client = try GraphQLClient(endpoint: endpoint, authorization: .apiKey(key), schema: .app)
        let page = try await client.query(.list(Note.where(Note.keys.title == title)))
        let isTaken = page.records.contains { $0.value != nil }
        return isTaken
    }

    // MARK: Comparing

    static func repair(_ engine: SyncEngine, on screen: Screen) async throws {
        let verification = try await engine.verify(repairing: true) { difference in
            await screen.add("\(difference.model) \(difference.id) \(difference.kind)")
        }
        await screen.add("\(verification.repaired) repaired")
    }
}

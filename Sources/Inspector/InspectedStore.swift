package import TidelogCore
internal import TidelogServer
internal import TidelogSync

/// The store that a page shows, and the way to decide about changes that a server refused.
package final class InspectedStore: Sendable {
    /// The name of the store for people: its directory.
    package let name: String
    let store: DataStore
    /// Opens the store for writing. It is `nil` if ``store`` itself can write, or if nothing may write the store.
    private let opening: (@Sendable () throws -> DataStore)?
    private let turns = Turns()

    /// A store that this process has open.
    package init(_ store: DataStore) throws {
        self.store = store
        name = store.path
        opening = nil
    }

    /// A store that this process only reads. For a decision, ``store`` is suspended, and `opening` opens the same files for
    /// writing.
    package init(reading store: DataStore, opening: @escaping @Sendable () throws -> DataStore) {
        self.store = store
        name = store.path
        self.opening = opening
    }

    /// Calls `body` with a consistent view of the store. While a decision has the store open for writing, this call waits.
    func read<Value: Sendable>(_ body: @escaping @Sendable (StoreSnapshot) throws -> Value) async throws -> Value {
        try await whileOpen { store in try await Blocking.run { try store.withSnapshot(body) } }
    }

    /// Calls `body`, and calls it again if the store was suspended in the meantime.
    func whileOpen<Value>(_ body: (DataStore) async throws -> Value) async throws -> Value {
        while true {
            do { return try await body(store) } catch let error as DataStoreError where error.code == .suspended {
                try await store.waitUntilResumed()
            }
        }
    }
}

// MARK: - Decisions

extension InspectedStore {
    /// A decision about a change that a server refused.
    package enum Decision: String, Sendable {
        /// The change becomes a new change, which the next sync sends.
        case retry
        /// The change is given up, and the record becomes the server's.
        case discard
    }

    /// Whether the store is a server's own store, which sends its changes to no other server.
    var isServers: Bool { get throws { ServerModels.areIn(try store.schema.declared) } }

    /// The process that has the store open for writing, in words; `nil` if there is none.
    var writer: String? {
        guard store.isReadOnly else { return "this process" }
        return StoreFiles.writer(ofStoreAt: store.path).map { writer in
            guard let process = writer.process else { return "another process" }
            return "process \(process)" + (writer.program.map { " (\($0))" } ?? "")
        }
    }

    /// The reason why nothing can be decided, as a sentence; `nil` if decisions are possible.
    func obstacle() throws -> String? {
        if try isServers { return "This is a server's store. It sends its changes to no other server." }
        guard store.isReadOnly else { return nil }
        guard opening != nil else { return "This process has opened the store for reading only." }
        return writer.map { "The store is open for writing in \($0). Decide there, or close it first." }
    }

    /// Retries or discards the set-aside change that is named by `sequence`.
    ///
    /// - Returns: Whether there was such a change.
    /// - Throws: ``DataStoreError``: `locked` if another process has the store open for writing; `configurationMismatch` for a
    ///   server's store.
    func decide(_ decision: Decision, _ sequence: SequenceNumber) async throws -> Bool {
        if try await whileOpen({ _ in try isServers }) {
            throw DataStoreError(
                .configurationMismatch, "This is a server's store. It sends its changes to no other server.",
                recovery: "Decide in the store of a device.")
        }
        return try await turns.take { [self] in
            guard let opening else { return try await Self.apply(decision, sequence, to: store) }
            // One process cannot have the files of a store open twice.
            try await store.suspend()
            let outcome: Result<Bool, any Error>
            do {
                let writer = try await Blocking.run { try opening() }
                let applied: Result<Bool, any Error>
                do { applied = .success(try await Self.apply(decision, sequence, to: writer)) } catch {
                    applied = .failure(error)
                }
                try await writer.close()
                outcome = applied
            } catch {
                outcome = .failure(error)
            }
            try await store.resume()
            return try outcome.get()
        }
    }

    private static func apply(
        _ decision: Decision, _ sequence: SequenceNumber, to store: DataStore
    ) async throws -> Bool {
        let outbox = try SyncOutbox(store)
        return switch decision {
        case .retry: try await outbox.retry(sequence)
        case .discard: try await outbox.discard(sequence)
        }
    }

    /// Runs one task after the other. A task runs to its end, even if the client that asked for it is gone.
    private actor Turns {
        private var last: Task<Void, Never>?

        func take(_ body: @escaping @Sendable () async throws -> Bool) async throws -> Bool {
            let before = last
            let task = Task {
                await before?.value
                return try await body()
            }
            last = Task { _ = await task.result }
            return try await task.value
        }
    }
}

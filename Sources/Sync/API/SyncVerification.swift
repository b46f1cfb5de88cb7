public import TidelogCore

/// A record that differs between a store and its server although no change of it is on its way.
public struct SyncDifference: Sendable, Hashable {
    /// The kinds of differences.
    public enum Kind: String, Sendable, Hashable {
        /// The server has the record, and the store does not.
        case missingHere
        /// The store has the record. The server does not have it, or the record is not among the synced records.
        case missingThere
        /// Both have the record, with different values.
        case differs
    }

    /// The name of the record's model.
    public let model: String
    /// The record's id.
    public let id: RecordID
    /// The kind of the difference.
    public let kind: Kind
    /// The fields with different values, in the order of their names, and `_version` if the versions differ. Empty unless both
    /// have the record.
    public let fields: [String]
    /// Whether the store has taken the server's record.
    public internal(set) var isRepaired = false
}

/// The result of a comparison of a store with its server.
public struct SyncVerification: Sendable, Hashable {
    /// How many records were compared: the server's records, and the records that only the store has.
    public internal(set) var compared = 0
    /// How many records differ, including the repaired ones.
    public internal(set) var differences = 0
    /// How many of the differing records are now equal to the server's.
    public internal(set) var repaired = 0
    /// How many records the server has changed since the last sync. The next sync brings these changes, so they are no
    /// differences.
    public internal(set) var behind = 0
    /// How many records were skipped because they have changes that the server has not accepted yet.
    public internal(set) var unsent = 0
    /// One sentence for each part that could not be compared, with the reason. If there are none, every record was compared.
    public internal(set) var problems: [String] = []

    /// Whether every record was compared and no difference is left.
    public var isEqual: Bool { differences == repaired && problems.isEmpty }
}

extension SyncEngine {
    /// Compares every synced record with the server's record, model by model and page by page.
    ///
    /// ```swift
    /// _ = await engine.runOnce()
    /// let verification = try await engine.verify { print($0.model, $0.id, $0.kind, $0.fields) }
    /// ```
    ///
    /// Before a record counts as different, the server is asked for it again. A record does not count if it has changes that
    /// the server has not accepted, or if the server changed it after the last sync. The engine may run at the same time. The
    /// comparison needs memory for one page of records, and 8 bytes for each record outside of the page.
    ///
    /// - Parameters:
    ///   - repairing: Whether the store takes the server's record if the two records differ. Each repair adds an event to the
    ///     log.
    ///   - report: Called with each record that differs, after the repair.
    /// - Throws: ``SyncError`` with the codes `identityChanged`, `unauthorized`, `localOnly`, `store`, or `unreachable` if the
    ///   server gives no usable answer for a minute; `CancellationError`; an error of `report`.
    public func verify(
        repairing: Bool = false, _ report: @Sendable (SyncDifference) async throws -> Void = { _ in }
    ) async throws -> SyncVerification {
        try await verify(repairing: repairing, patience: .seconds(60), progress: { _ in }, report)
    }

    /// - Parameters:
    ///   - patience: The longest time during which the server may give no usable answer.
    ///   - progress: Called after each page with the number of records that were compared.
    package func verify(
        repairing: Bool, patience: Duration, progress: @escaping @Sendable (Int) -> Void,
        _ report: (SyncDifference) async throws -> Void
    ) async throws -> SyncVerification {
        guard var server else { throw SyncError.localOnly }
        let identity = try await Self.identity(of: server)
        do {
            let scope = try settings.scope()
            let chosen = try await settings.chosenProtocol()
            server.use(chosen, mayChoose: false)
            let syncStore = SyncStore(
                settings.store, settings.models, hasVersions: chosen.hasVersions,
                isInScope: { scope.includes($0) })
            try await syncStore.expect(identity)
            server.filters = scope.filters
            var comparison = StoreComparison(
                syncStore,
                PatientServer(server, patience: patience, credentialTries: settings.machine.credentialTries),
                pageSize: settings.machine.inbox.pageSize, isRepairing: repairing, progress: progress)
            return try await comparison.run(report)
        } catch let error as DataStoreError {
            throw SyncError.store(error)
        }
    }
}

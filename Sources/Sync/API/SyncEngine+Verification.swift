internal import TidelogCore

extension SyncEngine {
    /// Compares every record that is synced with the server's, model by model and page by page.
    ///
    /// ```swift
    /// _ = await engine.runOnce()
    /// let verification = try await engine.verify { print($0.model, $0.id, $0.kind, $0.fields) }
    /// ```
    ///
    /// A record that differs is asked for again before it counts. It does not count if it has changes that the server has not
    /// taken, or if the server changed it after the last sync. The engine may run at the same time. The memory holds one page
    /// of records, and 8 bytes for each other record.
    ///
    /// - Parameters:
    ///   - repairing: Whether the store takes the server's record where the two differ. The log gets an event for each.
    ///   - report: Called with each record that differs, after it was repaired.
    /// - Throws: ``SyncError`` with the codes `identityChanged`, `unauthorized`, `localOnly`, `store`, or `unreachable` if the
    ///   server gives no usable answer for a minute; `CancellationError`; an error of `report`.
    public func verify(
        repairing: Bool = false, _ report: @Sendable (SyncDifference) async throws -> Void = { _ in }
    ) async throws -> SyncVerification {
        try await verify(repairing: repairing, patience: .seconds(60), progress: { _ in }, report)
    }

    /// - Parameters:
    ///   - patience: For how long the server may give no usable answer.
    ///   - progress: Called after each page with the number of records that were compared.
    package func verify(
        repairing: Bool, patience: Duration, progress: @escaping @Sendable (Int) -> Void,
        _ report: (SyncDifference) async throws -> Void
    ) async throws -> SyncVerification {
        guard var server else { throw SyncError.localOnly }
        let identity: SyncIdentity
        do throws(GraphQLClientError) {
            identity = try await server.identity()
        } catch {
            throw SyncError.unauthorized(error)
        }
        do {
            let scope = try settings.scope()
            let syncStore = SyncStore(settings.store, settings.models, isInScope: { scope.includes($0) })
            try await syncStore.claim(identity)
            server.filters = scope.filters
            var comparison = StoreComparison(
                syncStore,
                PatientServer(server, patience: patience, credentialTries: settings.credentialTries),
                pageSize: settings.inbox.pageSize, isRepairing: repairing, progress: progress)
            return try await comparison.run(report)
        } catch let error as DataStoreError {
            throw SyncError.store(error)
        }
    }
}

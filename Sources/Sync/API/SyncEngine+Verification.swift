internal import TidelogCore

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
            let syncStore = SyncStore(settings.store, settings.models, isInScope: { scope.includes($0) })
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

extension Generation {
    /// The rows, held open, with everything in them that was appended before.
    ///
    /// - Throws: ``DataStoreError``: `projectionUnavailable` where they cannot take it in; as ``Rows/lease()``.
    @inline(__always)
    func projectedRows() throws -> RowsLease {
        if !unprojected.isEmpty { try projectWaiting() }
        return try rows.lease()
    }

    @inline(never)
    private func projectWaiting() throws {
        // Why nobody may read comes before what goes wrong while projecting.
        _ = try rows.lease()
        do { try unprojected.project() } catch { throw rows.failure ?? Rows.unavailable(error) }
    }

    /// Calls `body` with the row of the record under `key`, wherever it is; with `nil` where it has none.
    @inline(__always)
    func withRow<Result>(
        _ key: UnsafeRawBufferPointer, in model: ModelLayout, _ body: (RowView?) throws -> Result
    ) throws -> Result {
        // Asked before the rows are looked at: what waits no more is in them, whichever they are by then.
        if !unprojected.isEmpty, let result = try withWaitingRow(key, in: model, body) { return result }
        let lease = try rows.lease()
        let snapshot = try lease.files.adapter.snapshot()
        defer { withExtendedLifetime(lease) { snapshot.end() } }
        return try body(snapshot.get(key, in: model)?.row)
    }

    /// As ``withRow(_:in:_:)``, where the record's latest event waits; `nil` where it does not.
    private func withWaitingRow<Result>(
        _ key: UnsafeRawBufferPointer, in model: ModelLayout, _ body: (RowView?) throws -> Result
    ) throws -> Result? {
        // Keeps the store from being closed meanwhile.
        let lease = try rows.lease()
        return try withExtendedLifetime(lease) {
            guard case .waiting(let latest) = unprojected.latest(of: key, in: model) else { return nil }
            guard latest.hasRow else { return try body(nil) }
            return try log.withReader { reader in
                // Gone only where it was projected since, and superseded, and dropped.
                guard let row = try reader.event(at: latest.sequence)?.row else { return nil }
                return try body(RowView(row))
            }
        }
    }
}

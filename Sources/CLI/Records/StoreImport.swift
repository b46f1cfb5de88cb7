@_spi(Adapters) internal import Tidelog
internal import TidelogCore

/// The import into a store.
struct StoreImport: ImportTarget {
    let model: ModelLayout
    let keepsUnknownCases = true
    private let store: DataStore
    private let origin: Origin
    /// Whether each row is compared with the store, because the store already has records of the model.
    private let comparesRows: Bool

    init(into store: DataStore, model: ModelLayout, origin: Origin) async throws {
        (self.store, self.model, self.origin) = (store, model, origin)
        // If there are no records, rows are not compared, which saves one lookup per row.
        comparesRows = try await store.read { snapshot in
            var isFound = false
            try snapshot.forEachRow(Record.all(of: model.name)) { _, _ in
                isFound = true
                return false
            }
            return isFound
        }
    }

    var sequence: UInt64 { get throws { try store.head.sequence.value } }

    func save(_ batch: ImportBatch, skipsRefused: Bool) async throws -> ImportBatch.Outcome {
        let (result, commit) = try await store.writeReturning(estimatedByteCount: batch.arena.count) { transaction in
            var outcome = ImportBatch.Outcome()
            try batch.forEach(skipsRefused: skipsRefused, refused: &outcome.refused) { row, _ in
                if comparesRows, try transaction.holds(row, of: model) {
                    outcome.unchangedCount += 1
                } else {
                    try transaction.save(row, of: model, origin: origin)
                }
            }
            return outcome
        }
        var outcome = result
        outcome.savedCount = commit.eventCount
        outcome.sequence = commit.last.value
        return outcome
    }
}

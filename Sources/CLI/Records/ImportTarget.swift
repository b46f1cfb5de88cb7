@_spi(Adapters) internal import Tidelog
internal import TidelogCore

/// The place into which records are imported: a store, or a database of servers.
protocol ImportTarget: Sendable {
    /// The model of the records.
    var model: ModelLayout { get }
    /// Whether a text that is no case of its enum is kept.
    var keepsUnknownCases: Bool { get }
    /// The number of the last event or change so far.
    var sequence: UInt64 { get throws }

    /// Saves a batch in one commit.
    ///
    /// - Parameter skipsRefused: Whether the other records are saved if some are refused.
    /// - Throws: ``CommandFailure`` with the line of the first refused record, unless `skipsRefused` is set.
    func save(_ batch: ImportBatch, skipsRefused: Bool) async throws -> ImportBatch.Outcome
}

/// Encoded rows for one commit, with the lines that they came from.
///
/// Soundness of `@unchecked Sendable`: only the reader fills the batch, and after that only one commit reads it.
final class ImportBatch: @unchecked Sendable {
    /// The result of a commit.
    struct Outcome: Sendable {
        var savedCount = 0
        /// The number of records that the target had with the same values.
        var unchangedCount = 0
        /// The rows that the target refused, with their lines.
        var refused: [(line: Int, error: DataStoreError)] = []
        /// The number of the last event or change; `nil` if nothing was written.
        var sequence: UInt64?
    }

    let arena = ByteArena(capacity: 1 << 16)
    private(set) var rows: [(range: Range<Int>, line: Int)] = []
    /// The number of the last line that was read for this batch or an earlier one.
    var lastLine = 0

    func add(_ row: Range<Int>, line: Int) {
        rows.append((row, line))
        lastLine = line
    }

    /// Calls `body` with each row.
    ///
    /// - Parameters:
    ///   - skipsRefused: Whether rows for which `body` throws an error about their values are added to `refused`.
    /// - Throws: ``CommandFailure`` with the line of the first refused row, unless `skipsRefused` is set.
    func forEach(
        skipsRefused: Bool, refused: inout [(line: Int, error: DataStoreError)], _ body: (RowView, Int) throws -> Void
    ) throws {
        for (range, line) in rows {
            do { try body(RowView(arena[range]), line) } catch let error as DataStoreError where error.isOfValues {
                guard skipsRefused else { throw CommandFailure(error).at(line: line) }
                refused.append((line, error))
            }
        }
    }
}

extension DataStoreError {
    /// Whether the error is about the values of a record.
    var isOfValues: Bool { [.invalidValue, .ruleBroken].contains(code) }
}

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

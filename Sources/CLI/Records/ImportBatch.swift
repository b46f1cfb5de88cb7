@_spi(Adapters) internal import Tidelog
internal import TidelogCore

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

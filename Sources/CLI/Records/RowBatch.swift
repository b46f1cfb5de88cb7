@_spi(Adapters) internal import Tidelog

/// Encoded rows that are to be one commit, and the lines they came from.
///
/// Sound as `@unchecked Sendable`: filled by the reader, then handed to one commit and touched by nobody else.
final class RowBatch: @unchecked Sendable {
    let arena = ByteArena(capacity: 1 << 16)
    private(set) var rows: [Range<Int>] = []
    private var lines: [Int] = []
    /// The last line that is in the batch or before it.
    var lastLine = 0
    /// How many records the store had already, with the same values.
    private(set) var unchangedCount = 0
    /// The rows that the store refused, with their lines.
    private(set) var refused: [(line: Int, error: DataStoreError)] = []

    func add(_ row: Range<Int>, line: Int) {
        rows.append(row)
        lines.append(line)
        lastLine = line
    }

    /// Saves every row; with `comparing`, those alone that change something.
    ///
    /// - Throws: ``CommandFailure`` with the line of the first row that the store refuses, unless such are skipped.
    func save(
        in transaction: StoreTransaction, _ model: ModelLayout, origin: Origin, comparing: Bool, skipsRefused: Bool
    ) throws {
        (unchangedCount, refused) = (0, [])
        for (row, line) in zip(rows, lines) {
            do {
                let row = try RowView(arena[row])
                if comparing, try transaction.holds(row, of: model) {
                    unchangedCount += 1
                } else {
                    try transaction.save(row, of: model, origin: origin)
                }
            } catch let error as DataStoreError where error.code == .invalidValue {
                guard skipsRefused else { throw CommandFailure(error).at(line: line) }
                refused.append((line, error))
            }
        }
    }
}

extension CommandFailure {
    /// The same failure, of a line of the input.
    func at(line: Int) -> CommandFailure {
        CommandFailure(
            status, code, "Line \(line): \(message)", model: model, id: id, recovery: recovery, detail: detail)
    }
}

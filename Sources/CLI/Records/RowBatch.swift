@_spi(Adapters) internal import Tidelog

/// Encoded rows for one commit, with the lines that they came from.
///
/// Soundness of `@unchecked Sendable`: only the reader fills the batch, and after that only one commit uses it.
final class RowBatch: @unchecked Sendable {
    let arena = ByteArena(capacity: 1 << 16)
    private(set) var rows: [Range<Int>] = []
    private var lines: [Int] = []
    /// The number of the last line that was read for this batch or an earlier one.
    var lastLine = 0
    /// How many records the store already had with the same values.
    private(set) var unchangedCount = 0
    /// The rows that the store refused, with their lines.
    private(set) var refused: [(line: Int, error: DataStoreError)] = []

    func add(_ row: Range<Int>, line: Int) {
        rows.append(row)
        lines.append(line)
        lastLine = line
    }

    /// Saves every row. With `comparing`, only rows that change something are saved.
    ///
    /// - Throws: ``CommandFailure`` with the line of the first row that the store refuses, unless `skipsRefused` is set.
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
            } catch let error as DataStoreError where [.invalidValue, .ruleBroken].contains(error.code) {
                guard skipsRefused else { throw CommandFailure(error).at(line: line) }
                refused.append((line, error))
            }
        }
    }
}

extension CommandFailure {
    /// The same failure with the line of the input that it concerns.
    func at(line: Int) -> CommandFailure {
        CommandFailure(
            status, code, "Line \(line): \(message)", model: model, id: id, recovery: recovery, detail: detail)
    }
}

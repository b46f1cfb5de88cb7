/// The prepared statements that one connection keeps for queries: the most recently used ones.
struct StatementCache {
    private var entries: [SQL: (statement: Statement, lastUse: UInt64)] = [:]
    private var clock: UInt64 = 0
    private static let capacity = 64
    /// Longer texts are rare and large: they are prepared for each use.
    private static let textByteCount = 32 << 10

    /// Takes the statement of `sql` out, if it is kept: while it is used, nobody else gets it.
    mutating func take(_ sql: SQL) -> Statement? { entries.removeValue(forKey: sql)?.statement }

    /// Keeps `statement`, which was reset.
    mutating func keep(_ statement: Statement, for sql: SQL) {
        guard sql.text.utf8.count <= Self.textByteCount else { return }
        clock += 1
        if entries.count >= Self.capacity, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            entries[oldest.key] = nil
        }
        entries[sql] = (statement, clock)
    }

    mutating func removeAll() { entries.removeAll() }
}

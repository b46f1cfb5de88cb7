/// The prepared statements that one connection keeps for queries. The most recently used statements are kept.
struct StatementCache {
    private var entries: [SQL: (statement: Statement, lastUse: UInt64)] = [:]
    private var clock: UInt64 = 0
    private static let capacity = 64
    /// The longest text that is kept. Longer texts are rare and large, so they are prepared again for each use.
    private static let textByteCount = 32 << 10

    /// Removes the statement for `sql` from the cache and returns it, or `nil`. While it is in use, no other caller gets it.
    mutating func take(_ sql: SQL) -> Statement? { entries.removeValue(forKey: sql)?.statement }

    /// Keeps `statement`, which must be reset.
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

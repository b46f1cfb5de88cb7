@_spi(Adapters) internal import TidelogCore

/// A read transaction on a connection of the pool.
final class SQLiteSnapshot: SQLiteReader, AdapterSnapshot {
    private let giveBack: (Connection) -> Void
    private var isEnded = false

    /// Begins to read on `connection`. At the end, the connection is passed to `giveBack`.
    init(connection: Connection, giveBack: @escaping (Connection) -> Void) throws {
        self.giveBack = giveBack
        super.init(connection: connection)
        do {
            try connection.execute(.begin)
            // A deferred transaction shows the state at its first read.
            try connection.refreshSchema()
        } catch {
            end()
            throw error
        }
    }

    deinit { end() }

    func end() {
        guard !isEnded else { return }
        isEnded = true
        // A read transaction has no changes to lose. If ending it fails, the connection is not used again.
        do {
            if !connection.isOutsideTransaction { try connection.execute(.commit) }
            giveBack(connection)
        } catch {}
    }
}

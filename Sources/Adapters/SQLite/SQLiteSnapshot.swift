@_spi(Adapters) internal import TidelogCore

/// A read transaction on a connection of the pool.
final class SQLiteSnapshot: SQLiteReader, AdapterSnapshot {
    private let giveBack: (Connection) -> Void
    private var isEnded = false

    /// Begins to read on `connection`, which `giveBack` takes at the end.
    init(connection: Connection, giveBack: @escaping (Connection) -> Void) throws {
        self.giveBack = giveBack
        super.init(connection: connection)
        do {
            try connection.execute(.begin)
            // A deferred transaction sees what is there when it first reads.
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
        // A read transaction has nothing to lose: where even this fails, the connection is not used again.
        do {
            if !connection.isOutsideTransaction { try connection.execute(.commit) }
            giveBack(connection)
        } catch {}
    }
}

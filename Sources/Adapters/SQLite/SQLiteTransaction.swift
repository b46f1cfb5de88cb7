@_spi(Adapters) internal import TidelogCore

/// The write transaction, on the connection that writes.
final class SQLiteTransaction: SQLiteReader, AdapterTransaction {
    private let giveBack: (Connection) -> Void
    private var isEnded = false

    /// Begins to write on `connection`. At the end, the connection is passed to `giveBack`.
    init(connection: Connection, giveBack: @escaping (Connection) -> Void) throws {
        self.giveBack = giveBack
        super.init(connection: connection)
        do {
            try connection.execute(.beginWriting)
            try connection.refreshSchema()
        } catch {
            rollback()
            throw error
        }
    }

    deinit { rollback() }

    func apply(_ changes: UnsafeBufferPointer<RowChange>, to model: ModelLayout) throws {
        guard !changes.isEmpty else { return }
        guard let shape = try connection.shape(of: model) else {
            throw DataStoreError.damagedRows("The model \(model.name) has no table.")
        }
        let instantByteCount = shape.instantCount * InstantBytes.count
        try withUnsafeTemporaryAllocation(byteCount: instantByteCount, alignment: 8) { instants in
            let writer = RowWriter(shape: shape, connection: connection, instants: instants)
            do {
                for change in changes { try writer.apply(change) }
            } catch let damage as RowDamage {
                throw DataStoreError.damagedRows("A row does not decode.", damage)
            }
        }
        try connection.reserveSpace()
    }

    func putAuxiliary(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in table: AuxiliaryTable
    ) throws {
        try connection.withStatement(.putAuxiliary) { statement in
            statement.bind(copying: .text(Array(table.name.utf8)), at: 1)
            statement.bindBlob(key, at: 2)
            statement.bindBlob(value, at: 3)
            try statement.run()
        }
    }

    func deleteAuxiliary(_ key: UnsafeRawBufferPointer, in table: AuxiliaryTable) throws {
        try connection.withStatement(.deleteAuxiliary) { statement in
            statement.bind(copying: .text(Array(table.name.utf8)), at: 1)
            statement.bindBlob(key, at: 2)
            try statement.run()
        }
    }

    func commit(checkpoint: Checkpoint) throws {
        precondition(!isEnded, "nothing is called on a transaction after its end")
        do {
            try connection.withStatement(.putMeta) { statement in
                statement.bind(copying: .text(MetaName.checkpoint), at: 1)
                statement.bind(copying: .blob(checkpoint.encoded), at: 2)
                try statement.run()
            }
            try connection.reserveSpace()
            try connection.execute(.commit)
        } catch {
            rollback()
            throw error
        }
        isEnded = true
        giveBack(connection)
    }

    func rollback() {
        guard !isEnded else { return }
        isEnded = true
        connection.forgetSchema()
        // After some failed writes, SQLite has rolled back already. If this rollback fails, closing the file rolls back.
        if !connection.isOutsideTransaction { try? connection.execute(.rollback) }
        giveBack(connection)
    }
}

/// Writes the rows of one table, one by one.
private struct RowWriter {
    let shape: TableShape
    let connection: Connection
    let instants: UnsafeMutableRawBufferPointer

    @inline(__always)
    func apply(_ change: RowChange) throws {
        guard let row = change.row else { return try delete(change.key) }
        guard change.existed else { return _ = try write(change, row, .put) }
        let isIndexUntouched = shape.places.allSatisfy { !$0.isIndexed || !change.changedFields.contains($0.slot) }
        let touched = try write(change, row, isIndexUntouched ? .updateUnindexed : .update)
        if touched == 0 { _ = try write(change, row, .put) }
    }

    private func delete(_ key: UnsafeRawBufferPointer) throws {
        let statement = try shape.statement(.delete, on: connection)
        statement.bindBlob(key, at: 1)
        try statement.run()
    }

    /// Writes one row. Returns the number of rows that were changed.
    private func write(_ change: RowChange, _ row: RowView, _ kind: RowStatement) throws -> Int32 {
        let statement = try shape.statement(kind, on: connection)
        statement.bindBlob(change.key, at: 1)
        statement.bind(Int64(bitPattern: change.sequence.value), at: 2)
        if let base = instants.baseAddress ?? Self.noInstants {
            try statement.bind(row, of: shape, onlyUnindexed: kind == .updateUnindexed, instants: base)
        }
        try statement.run()
        return kind == .put ? 1 : statement.changedRowCount
    }

    private static var noInstants: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: 16) }
}

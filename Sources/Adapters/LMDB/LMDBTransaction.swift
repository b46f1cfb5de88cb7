@_spi(Adapters) internal import TidelogCore
internal import TidelogLMDB

/// The write transaction. It must be begun, used and ended on the same thread.
final class LMDBTransaction: LMDBReader, AdapterTransaction {
    private var writing: WriteTransaction?
    let scratch: WriteScratch
    let adapter: LMDBAdapter
    /// Whether ``prepare(_:auxiliaryTables:)`` changed the keyspaces.
    private var hasNewKeyspaces = false
    /// Whether rows or auxiliary rows were changed.
    var hasChanges = false

    init(_ write: WriteTransaction, _ keyspaces: Keyspaces, adapter: LMDBAdapter, scratch: WriteScratch) {
        writing = write
        self.adapter = adapter
        self.scratch = scratch
        super.init(write, keyspaces)
    }

    /// The underlying transaction, for changes.
    var write: WriteTransaction {
        guard let writing else { preconditionFailure("nothing is called on a transaction that has ended") }
        return writing
    }

    func prepare(_ schema: SchemaLayout, auxiliaryTables: [AuxiliaryTable]) throws {
        guard let metadata = keyspaces.metadata else { preconditionFailure("a writable environment has metadata") }
        let stored = keyspaces.layouts
        let wanted = stored.adopting(schema, auxiliaryTables: auxiliaryTables)
        guard wanted != stored else { return }
        try translating("prepare the rows") {
            try writeIndexes()
            for index in wanted.indexes where !stored.indexes.contains(index) {
                let isNew = !stored.indexes.contains { $0.model == index.model && $0.number == index.number }
                try fill(index, of: schema.model(numbered: index.model), isNew: isNew)
            }
            try write.put(wanted, in: metadata)
            keyspaces = try Keyspaces(wanted, metadata: metadata) { try write.openKeyspace(named: $0, create: true) }
            hasNewKeyspaces = true
        }
    }

    /// Commits the changes so far, which no reader uses yet, and continues in another transaction.
    func commitStep() throws {
        try write.commit()
        let next = try adapter.beginStep()
        writing = next
        goOn(in: next)
    }

    func putAuxiliary(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in table: AuxiliaryTable
    ) throws {
        hasChanges = true
        let keyspace = try auxiliary(table)
        try translating("write an auxiliary row") { try write.put(keyspace, key, value) }
    }

    func deleteAuxiliary(_ key: UnsafeRawBufferPointer, in table: AuxiliaryTable) throws {
        hasChanges = true
        let keyspace = try auxiliary(table)
        _ = try translating("delete an auxiliary row") { try write.delete(keyspace, key) }
    }

    private func auxiliary(_ table: AuxiliaryTable) throws -> Keyspace {
        guard let keyspace = keyspaces.auxiliary(table) else {
            preconditionFailure("the auxiliary table \(table.name) was prepared")
        }
        return keyspace
    }

    func commit(checkpoint: Checkpoint) throws {
        guard let metadata = keyspaces.metadata else { preconditionFailure("a writable environment has metadata") }
        let write = write
        // If the commit fails, the transaction ends with a rollback.
        defer { rollback() }
        try translating("commit the rows") {
            try writeIndexes()
            if hasChanges, scratch.mayHaveConstruction {
                try removeConstruction()
                scratch.mayHaveConstruction = false
            }
            try withBytes(of: MetadataKey.checkpoint) { key in
                try checkpoint.encoded.withUnsafeBytes { try write.put(metadata, key, $0) }
            }
            if hasNewKeyspaces {
                try adapter.publish(keyspaces) { try write.commit() }
            } else {
                try write.commit()
            }
        }
        adapter.committed()
    }

    override func settle() throws { try writeIndexes() }

    func rollback() {
        scratch.removeAll()
        writing?.abort()
        writing = nil
        release()
    }
}

@_spi(Adapters) internal import TidelogCore
internal import TidelogLMDB

/// The write transaction. It must be begun, used and ended on the same thread.
final class LMDBTransaction: LMDBReader, AdapterTransaction {
    /// State that one write transaction leaves for the next, above all memory for index entries that were not written yet.
    ///
    /// Sound as `@unchecked Sendable`, because only one write transaction, on one thread, uses it at a time.
    final class Scratch: @unchecked Sendable {
        /// The model with unwritten entries, or `nil` if there are none.
        var model: UInt32?
        /// The changes of each of the model's indexes, as keys to put or to delete.
        var changes: ContiguousArray<KeyRun> = []

        /// Whether an index may be under construction. A change of the rows ends the construction.
        var mayHaveConstruction = true

        /// The number of bytes of each index's changes that are kept between batches.
        private static let keptByteCount = 4 << 20

        /// Makes space for the changes of `count` indexes.
        func prepare(_ count: Int) {
            while changes.count < count { changes.append(KeyRun()) }
        }

        /// Whether the changes of an index take more than `byteCount` bytes.
        func isOver(_ byteCount: Int) -> Bool { changes.contains { $0.arena.count > byteCount } }

        /// Removes all changes.
        func removeAll() {
            model = nil
            for index in changes.indices { changes[index].removeAll(keeping: Self.keptByteCount) }
        }
    }

    private var writing: WriteTransaction?
    let scratch: Scratch
    let adapter: LMDBAdapter
    /// Whether ``prepare(_:auxiliaryTables:)`` changed the keyspaces.
    private var hasNewKeyspaces = false
    /// Whether rows or auxiliary rows were changed.
    var hasChanges = false

    init(_ write: WriteTransaction, _ keyspaces: Keyspaces, adapter: LMDBAdapter, scratch: Scratch) {
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
            try withBytes(of: Keyspaces.MetadataKey.checkpoint) { key in
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

// MARK: - Applying changes

/// Applies changes to each tree in the order of its keys. Neighbouring keys are in the same page, so each page is visited once.
///
/// Rows are written at once. The entries of indexes are collected until they are read or the transaction is committed.
extension LMDBTransaction {
    static let put: UInt32 = 1
    private static let delete: UInt32 = 0
    /// The largest number of bytes of collected entries for one index.
    private static let waitingByteCount = 32 << 20

    func apply(_ changes: UnsafeBufferPointer<RowChange>, to model: ModelLayout) throws {
        guard let first = changes.first else { return }
        guard let table = keyspaces.table(model) else { preconditionFailure("the model \(model.name) was prepared") }
        let indexes = keyspaces.indexes(model)
        hasChanges = true
        try translating("write rows") {
            if !indexes.list.isEmpty {
                if scratch.model != model.number { try writeIndexes() }
                scratch.model = model.number
                scratch.prepare(indexes.list.count)
                try collect(changes, table, indexes)
            }
            try write(changes, first, to: table)
            if scratch.isOver(Self.waitingByteCount) { try writeIndexes() }
        }
    }

    /// Writes the collected index entries.
    func writeIndexes() throws {
        guard let model = scratch.model else { return }
        for (position, index) in keyspaces.indexes(numbered: model).list.enumerated() {
            scratch.changes[position].sort()
            try write(scratch.changes[position], to: index.keyspace)
        }
        scratch.removeAll()
    }

    /// Collects the entries that the indexes lose and gain. It reads the old rows, so it must run before the rows are written.
    private func collect(
        _ changes: UnsafeBufferPointer<RowChange>, _ table: Keyspace, _ indexes: Keyspaces.Indexes
    ) throws {
        for change in changes {
            var old: RowView?
            if change.existed {
                guard change.row == nil || indexes.list.contains(where: { $0.isTouched(by: change) }) else { continue }
                guard let value = try write.get(table, change.key) else { throw damaged("a known row is missing") }
                old = try StoredRow(key: change.key, value: value).row
            }
            for (position, index) in indexes.list.enumerated()
            where !change.existed || change.row == nil || index.isTouched(by: change) {
                try scratch.changes[position].add(change, old: old, index.components)
            }
        }
    }

    private func write(_ changes: UnsafeBufferPointer<RowChange>, _ first: RowChange, to table: Keyspace) throws {
        let cursor = try write.cursor(table)
        let appends = try cursor.last().map { $0.key.precedes(first.key) } ?? true
        for change in changes {
            guard let row = change.row else {
                if change.existed { try write.delete(table, change.key) }
                continue
            }
            let bytes = row.bytes
            let target = try cursor.reserve(
                change.key, byteCount: StoredRow.headerByteCount + bytes.count, append: appends)
            target.storeBytes(of: change.sequence.value.littleEndian, as: UInt64.self)
            UnsafeMutableRawBufferPointer(rebasing: target[StoredRow.headerByteCount...]).copyMemory(from: bytes)
        }
    }

    /// Puts and deletes the entries of an index as `changes` demand. The changes must be sorted.
    func write(_ changes: KeyRun, to keyspace: Keyspace) throws {
        guard let first = changes.entries.first else { return }
        let cursor = try write.cursor(keyspace)
        let appends = try cursor.last().map { $0.key.precedes(changes.bytes(first)) } ?? true
        for entry in changes.entries {
            let key = changes.bytes(entry)
            if entry.mark == Self.put {
                _ = try cursor.reserve(key, byteCount: 0, append: appends)
            } else {
                try write.delete(keyspace, key)
            }
        }
    }
}

extension Keyspaces.Index {
    /// Whether `change` concerns a field of this index.
    @inline(__always)
    fileprivate func isTouched(by change: RowChange) -> Bool {
        components.contains { change.changedFields.contains(Int($0.slot)) }
    }
}

extension KeyRun {
    /// Adds the index changes for `change`: deletes the entry of the row `old`, if there is one, and puts a new entry.
    fileprivate mutating func add(
        _ change: RowChange, old: RowView?, _ components: ContiguousArray<IndexKey.Component>
    ) throws(RowDamage) {
        let start = arena.count
        var oldByteCount = 0
        if let old {
            oldByteCount = try IndexKey.encode(components, of: old, primaryKey: change.key, behind: arena)
            take(oldByteCount, mark: 0)
        }
        guard let row = change.row else { return }
        let byteCount = try IndexKey.encode(components, of: row, primaryKey: change.key, behind: arena)
        if old != nil, byteCount == oldByteCount {
            let new = UnsafeRawBufferPointer(start: arena.base + arena.count, count: byteCount)
            let same = UnsafeRawBufferPointer(start: arena.base + start, count: byteCount)
            if new.begins(with: same) { return removeLast() }
        }
        take(byteCount, mark: 1)
    }
}

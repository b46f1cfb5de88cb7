@_spi(Adapters) internal import TidelogCore
internal import TidelogLMDB

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

    private func write(
        _ changes: UnsafeBufferPointer<RowChange>, _ first: RowChange, to table: Keyspace
    ) throws {
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
        _ change: RowChange, old: RowView?, _ components: ContiguousArray<KeyComponent>
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

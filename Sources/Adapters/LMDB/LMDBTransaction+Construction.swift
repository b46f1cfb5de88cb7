@_spi(Adapters) internal import TidelogCore
internal import TidelogLMDB

/// Filling new indexes from existing rows.
///
/// A new index of a large table is filled in steps. Each step is a commit that also stores the progress. An interrupted
/// construction therefore continues where it stopped, and the memory does not grow with the table. The last step adds the index
/// to the stored layouts. Before that, the index is not read.
extension LMDBTransaction {
    /// Recreates `index` from the rows of `model`. A dropped index becomes empty.
    ///
    /// - Parameter isNew: Whether the stored layouts do not contain the index, so that no reader can see it half done.
    func fill(_ index: StoredLayouts.Index, of model: ModelLayout?, isNew: Bool) throws {
        guard !index.components.isEmpty, let model else { return try write.empty(keyspace(of: index)) }
        // Earlier changes in this transaction must not be committed early.
        let isStepwise = isNew && !hasChanges
        let construction = IndexConstruction(index, sequence: try checkpoint()?.sequence.value ?? 0)
        var last = isStepwise ? try lastKey(of: construction) : nil
        if last == nil { try write.empty(keyspace(of: index)) }
        while let next = try fillStep(index, of: model, after: last) {
            last = next
            guard isStepwise else { continue }
            try put(construction, lastKey: next)
            scratch.mayHaveConstruction = true
            try adapter.willCommitStep?()
            try commitStep()
        }
        if isStepwise { try removeConstruction() }
    }

    private func keyspace(of index: StoredLayouts.Index) throws -> Keyspace {
        try write.openKeyspace(named: StoredLayouts.name(of: index), create: true)
    }

    /// Adds the entries of the rows after the row with the key `last`, as many as one step sorts in memory.
    ///
    /// - Returns: the key of the last row in this step, or `nil` if no rows are left.
    private func fillStep(
        _ index: StoredLayouts.Index, of model: ModelLayout, after last: [UInt8]?
    ) throws -> [UInt8]? {
        guard let table = try tableToFill(from: model) else { return nil }
        var run = KeyRun()
        let cursor = try write.cursor(table)
        var entry = try last.map { try ($0 + [0]).withUnsafeBytes { try cursor.seek(atLeast: $0) } } ?? cursor.first()
        var end: [UInt8]?
        while let current = entry {
            let row = try StoredRow(key: current.key, value: current.value)
            let byteCount = try IndexKey.encode(index.components, of: row.row, primaryKey: row.key, behind: run.arena)
            run.take(byteCount, mark: Self.put)
            if run.arena.count >= adapter.stepByteCount {
                end = Array(current.key)
                break
            }
            entry = try cursor.next()
        }
        run.sort()
        try write(run, to: keyspace(of: index))
        return end
    }

    private func tableToFill(from model: ModelLayout) throws -> Keyspace? {
        if let table = keyspaces.table(model) { return table }
        return try write.openKeyspace(named: StoredLayouts.name(ofModel: model.number), create: true)
    }
}

/// An index under construction, as in the entry `construction` of `meta` (FORMATS, section 7.3).
private struct IndexConstruction {
    /// The identity of this construction: the index, and the checkpoint of the rows. A later construction with both continues
    /// it.
    let identity: [UInt8]

    init(_ index: StoredLayouts.Index, sequence: UInt64) {
        var bytes = sequence.littleEndianBytes
        index.append(to: &bytes)
        identity = bytes
    }
}

extension LMDBTransaction {
    /// The key of the last row that `construction` has processed, or `nil` if it has not begun.
    private func lastKey(of construction: IndexConstruction) throws -> [UInt8]? {
        guard let metadata = keyspaces.metadata else { return nil }
        let stored = try withBytes(of: Keyspaces.MetadataKey.construction) { try write.get(metadata, $0) }
        guard let stored, construction.identity.withUnsafeBytes({ stored.begins(with: $0) }) else { return nil }
        return Array(stored[construction.identity.count...])
    }

    private func put(_ construction: IndexConstruction, lastKey: [UInt8]) throws {
        guard let metadata = keyspaces.metadata else { preconditionFailure("a writable environment has metadata") }
        try withBytes(of: Keyspaces.MetadataKey.construction) { key in
            try (construction.identity + lastKey).withUnsafeBytes { try write.put(metadata, key, $0) }
        }
    }

    /// Removes the stored construction, because it is complete or its rows have changed.
    func removeConstruction() throws {
        guard let metadata = keyspaces.metadata else { preconditionFailure("a writable environment has metadata") }
        _ = try withBytes(of: Keyspaces.MetadataKey.construction) { try write.delete(metadata, $0) }
    }
}

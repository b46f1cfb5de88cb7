internal import TidelogSynchronization

/// Turns events into rows. Only this type writes to an adapter's transaction.
///
/// A projector belongs to one set of rows, because it knows whether these rows have tombstones. It keeps nothing else between
/// calls, so that the writer and readers can share it.
final class Projector: Sendable {
    private let registered: [any Projection]
    let schemas: SchemaHistory
    let auxiliaryTables: [AuxiliaryTable]
    let signature: UInt64
    /// The signature of rows with the same projections that have no table of notes yet.
    ///
    /// The table is made before the first note is written.
    private let signatureWithoutNotes: UInt64
    /// Whether a record without a row may have a tombstone. While it is false, new records need no look-up.
    var mayHaveTombstones: Bool {
        get { tombstoneFlag.load(ordering: .acquiring) }
        set { tombstoneFlag.store(newValue, ordering: .releasing) }
    }
    private let tombstoneFlag = Atomic<Bool>(true)

    init(projections: [any Projection], schemas: SchemaHistory) throws {
        registered = projections
        self.schemas = schemas
        var names = Set(AuxiliaryTable.builtIn.map(\.name))
        for projection in projections {
            guard names.insert(projection.name).inserted, (1...64).contains(projection.name.utf8.count),
                projection.name.utf8.allSatisfy({
                    ($0 | 32 >= 97 && $0 | 32 <= 122) || $0 == 95 || (48...57).contains($0)
                })
            else {
                throw DataStoreError(
                    .invalidSchema, "The name of a projection is taken or not allowed.",
                    recovery: "Name it with 1 to 64 letters, digits and underscores, unlike any other.")
            }
        }
        auxiliaryTables =
            AuxiliaryTable.builtIn
            + projections.enumerated().map { AuxiliaryTable(index: AuxiliaryTable.builtIn.count + $0, name: $1.name) }
        signature = Self.signature(of: projections, format: 2)
        signatureWithoutNotes = Self.signature(of: projections, format: 1)
    }

    /// A signature that distinguishes rows with `projections` from rows with other projections.
    ///
    /// - Parameter format: 1 for rows with two built-in auxiliary tables, 2 for rows with three.
    private static func signature(of projections: [any Projection], format: UInt64) -> UInt64 {
        projections.reduce(format) { signature, projection in
            projection.name.utf8.reduce(Checksum.mix(signature &+ UInt64(projection.version))) {
                Checksum.mix($0 &+ UInt64($1))
            }
        }
    }

    /// Whether rows with `checkpoint` have the same projections as this projector.
    func madeRows(with checkpoint: Checkpoint) -> Bool {
        checkpoint.projectionSignature == signature || checkpoint.projectionSignature == signatureWithoutNotes
    }

    /// A projector with the same projections for the schemas that the log has now.
    func with(_ schemas: SchemaHistory) throws -> Projector { try Projector(projections: registered, schemas: schemas) }

    var hasRegisteredProjections: Bool { !registered.isEmpty }

    /// Checks whether there are any tombstones.
    func prepare(_ reader: any AdapterReader) throws {
        var hasTombstones = false
        try reader.auxiliaryEntries(after: nil, in: .tombstones) { _, _ in
            hasTombstones = true
            return false
        }
        mayHaveTombstones = hasTombstones
    }

    /// Applies the staged events from index `start`: links each to its record's previous event, and writes or removes rows.
    func apply(_ staged: StagedEvents, from start: Int, to transaction: any AdapterTransaction) throws {
        guard start < staged.count else { return }
        staged.unions.count = 0
        try staged.withHeads(from: start) { heads, chained in
            var first = 0
            while first < heads.count {
                let end = heads.endOfModel(from: first)
                try apply(staged, heads, first..<end, chained: chained, to: transaction)
                first = end
            }
        }
        try projectServerTables(staged, from: start, to: transaction)
    }

    /// The number of rows that are looked up before they are written.
    ///
    /// It is small, so that the processor's cache still has the data of the look-ups when the rows are written.
    private static let runLength = 128

    private func apply(
        _ staged: StagedEvents, _ heads: StagedHeads, _ range: Range<Int>, chained: Bool,
        to transaction: any AdapterTransaction
    ) throws {
        guard let layout = staged.events[heads[range.lowerBound]].layout else { return }
        precondition(!range.isEmpty && range.upperBound <= heads.count, "a model has heads among all")
        var pending = ContiguousArray<PendingChange>()
        var changes = ContiguousArray<RowChange>()
        pending.reserveCapacity(min(range.count, Self.runLength))
        changes.reserveCapacity(min(range.count, Self.runLength))
        var start = range.lowerBound
        while start < range.upperBound {
            let end = min(start + Self.runLength, range.upperBound)
            pending.removeAll(keepingCapacity: true)
            changes.removeAll(keepingCapacity: true)
            for position in start..<end {
                try pending.append(lookUp(heads[position], of: staged, chained: chained, layout, transaction))
            }
            for change in pending {
                if let change = try rowChange(change, of: staged, layout, transaction) { changes.append(change) }
            }
            assert(changes.count <= pending.count, "each record has one change")
            assert(changes.areSortedByKey, "changes are sorted by key")
            try changes.withUnsafeBufferPointer { try transaction.apply($0, to: layout) }
            start = end
        }
    }

    /// Links the event at `head`, the first event of its record in this call of `apply`, to the record's previous event.
    @inline(__always)
    private func lookUp(
        _ head: Int, of staged: StagedEvents, chained: Bool, _ layout: ModelLayout,
        _ transaction: any AdapterTransaction
    ) throws -> PendingChange {
        let key = staged.key(at: head)
        let tail = chained ? staged.latest(of: key, model: layout.number) ?? head : head
        assert(tail >= head, "a record's last event does not stand before its first")
        let old = try latest(key, in: layout, transaction)
        try staged.link(head, to: old.sequence, leaving: old.row)
        var union: Range<Int>?
        if tail != head, let row = old.row, let finalRow = try staged.row(at: tail) {
            union = try staged.unions.appendDifferences(finalRow, from: row, slotCount: layout.row.slotCount)
        }
        return PendingChange(head: head, tail: tail, existed: old.row != nil, union: union)
    }

    /// The last event that `rows` contain of the record with `key`, and the row that it left. The sequence number is 0 if there
    /// is no such event, or if it was dropped from the log and from the tombstones.
    @inline(__always)
    func latest(
        _ key: UnsafeRawBufferPointer, in layout: ModelLayout, _ rows: any AdapterReader
    ) throws -> (sequence: UInt64, row: RowView?) {
        if let row = try rows.get(key, in: layout) { return (row.sequence.value, row.row) }
        return (mayHaveTombstones ? try rows.tombstone(layout.number, key) : 0, nil)
    }

    /// The change of a record's row by its last staged event, or `nil` if there is no row before and after.
    @inline(__always)
    private func rowChange(
        _ change: PendingChange, of staged: StagedEvents, _ layout: ModelLayout, _ transaction: any AdapterTransaction
    ) throws -> RowChange? {
        assert(change.tail < staged.count, "a change comes from a staged event")
        let changed: FieldSet
        if let union = change.union {
            changed = FieldSet(bits: staged.unions[union])
        } else if change.existed, change.tail == change.head {
            changed = FieldSet(bits: UnsafeRawBufferPointer(staged.bitmap(at: change.tail)))
        } else {
            changed = .all
        }
        return try rowChange(
            RowChange(
                key: staged.key(at: change.tail), sequence: SequenceNumber(staged.sequence(at: change.tail)),
                row: staged.row(at: change.tail), existed: change.existed, changedFields: changed),
            layout, transaction)
    }

    /// The change in `transaction` by the last event of a record, which is staged or replayed.
    ///
    /// The change writes the record's row, or replaces it with a tombstone. The result is `nil` if there is no row before and
    /// after.
    @inline(__always)
    func rowChange(
        _ last: RowChange, _ layout: ModelLayout, _ transaction: any AdapterTransaction
    ) throws -> RowChange? {
        guard last.row != nil else {
            try transaction.putTombstone(last.sequence.value, layout.number, last.key)
            mayHaveTombstones = true
            return last.existed ? last : nil
        }
        if !last.existed, mayHaveTombstones { try transaction.deleteTombstone(layout.number, last.key) }
        return last
    }

    /// Links events that change no row to their record's previous event, and applies server states and notes, in order.
    private func projectServerTables(
        _ staged: StagedEvents, from start: Int, to transaction: any AdapterTransaction
    ) throws {
        for index in start..<staged.count {
            let event = staged.events[index]
            if !event.changesRow, event.keyByteCount > 0 {
                try staged.linkEventWithoutRowChange(index) { try latest($0, in: $1, transaction).sequence }
            }
            if event.kind.changesServerTables {
                try transaction.updateServerTables(with: staged.view(at: index))
            }
        }
    }

    /// Passes a group's events to the registered projections, in the same order as a replay of the log.
    func project(_ events: SealedEvents, to transaction: any AdapterTransaction) throws {
        guard hasRegisteredProjections else { return }
        try events.forEach { _, bytes in try project(EventView(bytes), to: transaction) }
    }

    /// Passes `view` to the registered projections.
    func project(_ view: EventView, to transaction: any AdapterTransaction) throws {
        guard !registered.isEmpty else { return }
        let event = try Event(view, schemas: schemas)
        for (projection, table) in zip(registered, registeredTables) {
            try projection.project(event, into: ProjectionTable(transaction, table))
        }
    }

    /// The tables of the registered projections.
    var registeredTables: ArraySlice<AuxiliaryTable> { auxiliaryTables.dropFirst(AuxiliaryTable.builtIn.count) }

    /// Passes `view` to the registered projections. Each has its own table in `tables`.
    func project(_ view: EventView, into tables: [ProjectionTable]) throws {
        precondition(tables.count == registered.count, "each projection has a table")
        let event = try Event(view, schemas: schemas)
        for (projection, table) in zip(registered, tables) { try projection.project(event, into: table) }
    }
}

extension ContiguousArray<RowChange> {
    /// Whether the changes are sorted by key, with one change for each key. Only assertions use it, because it reads all
    /// changes.
    var areSortedByKey: Bool {
        zip(self, dropFirst()).allSatisfy { ByteComparison.order($0.key, $1.key) < 0 }
    }
}

private struct PendingChange {
    let head: Int
    let tail: Int
    let existed: Bool
    let union: Range<Int>?
}

extension ByteArena {
    /// Appends a bitmap of the slots in which `row` differs from `old`.
    fileprivate func appendDifferences(
        _ row: RowView, from old: RowView, slotCount: Int
    ) throws(RowDamage) -> Range<Int> {
        let byteCount = (slotCount + 7) / 8
        let start = count
        let base = reserve(byteCount)
        base.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
        count += byteCount
        try row.markDifferences(from: old, in: UnsafeMutableRawBufferPointer(start: base, count: byteCount))
        return start..<count
    }
}

internal import Synchronization

/// Turns events into rows: the one place that writes to an adapter's transaction.
///
/// Sound as `@unchecked Sendable`: what it keeps from group to group, only the writer's serial section uses.
final class Projector: @unchecked Sendable {
    private let registered: [any Projection]
    let schemas: SchemaHistory
    let auxiliaryTables: [AuxiliaryTable]
    let signature: UInt64
    /// Whether a record without a row may have left a tombstone: while false, new records need not look.
    var mayHaveTombstones: Bool {
        get { tombstoneFlag.load(ordering: .acquiring) }
        set { tombstoneFlag.store(newValue, ordering: .releasing) }
    }
    private let tombstoneFlag = Atomic<Bool>(true)
    private let scratch = ByteArena()
    /// Kept from group to group.
    private var heads = StagedHeads()

    init(projections: [any Projection], schemas: SchemaHistory) throws {
        registered = projections
        self.schemas = schemas
        var names = Set(BuiltInTables.all.map(\.name))
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
            BuiltInTables.all
            + projections.enumerated().map { AuxiliaryTable(index: BuiltInTables.all.count + $0, name: $1.name) }
        signature = projections.reduce(1) { signature, projection in
            projection.name.utf8.reduce(Checksum.mix(signature &+ UInt64(projection.version))) {
                Checksum.mix($0 &+ UInt64($1))
            }
        }
    }

    /// One with the same projections, for the schemas that a log has by now.
    func with(_ schemas: SchemaHistory) throws -> Projector { try Projector(projections: registered, schemas: schemas) }

    var hasRegisteredProjections: Bool { !registered.isEmpty }

    /// Looks once whether there are tombstones at all.
    func prepare(_ reader: any StorageReader) throws {
        var hasTombstones = false
        try reader.auxiliaryEntries(after: nil, in: BuiltInTables.tombstones) { _, _ in
            hasTombstones = true
            return false
        }
        mayHaveTombstones = hasTombstones
    }

    /// Applies the staged events from index `start` on: links each to the event before it of its record, and puts or
    /// removes rows.
    func apply(_ staged: StagedEvents, from start: Int, to transaction: any StorageTransaction) throws {
        guard start < staged.count else { return }
        scratch.count = 0
        try withLinkedHeads(of: staged, from: start) { heads, chained in
            var first = 0
            while first < heads.count {
                let end = heads.endOfModel(from: first)
                try apply(staged, heads, first..<end, chained: chained, to: transaction)
                first = end
            }
        }
        try projectServerStates(staged, from: start, to: transaction)
    }

    /// Links all staged events, each to the event before it of its record, and projects none.
    ///
    /// - Parameter latest: The latest event of the record under a key before the staged ones, 0 where there is none, and the
    ///   row that it left.
    func link(
        _ staged: StagedEvents,
        after latest: (_ key: UnsafeRawBufferPointer, ModelLayout) throws -> (sequence: UInt64, row: RowView?)
    ) throws {
        try withLinkedHeads(of: staged, from: 0) { heads, _ in
            for position in 0..<heads.count {
                let head = heads[position]
                guard let layout = staged.events[head].layout else { continue }
                let old = try latest(staged.key(at: head), layout)
                staged.setPrevious(old.sequence, at: head)
                if let row = old.row { try staged.noteDifferences(from: row, at: head) }
            }
        }
    }

    /// Calls `body` with the heads of the events from index `start` on, and whether others follow them, which are linked.
    @inline(__always)
    private func withLinkedHeads(
        of staged: StagedEvents, from start: Int, _ body: (borrowing StagedHeads, _ chained: Bool) throws -> Void
    ) throws {
        // Taken out for the time being: each access to a class's property is checked.
        var heads = StagedHeads()
        swap(&heads, &self.heads)
        defer {
            heads.removeAll()
            swap(&heads, &self.heads)
        }
        let chained = heads.collect(staged, from: start)
        if chained { try linkChains(staged, from: start) }
        try body(heads, chained)
    }

    /// Links events whose record was already changed in this run of staged events.
    private func linkChains(_ staged: StagedEvents, from start: Int) throws {
        for index in start..<staged.count {
            let prior = Int(staged.events[index].prior)
            guard prior >= start else { continue }
            staged.setPrevious(staged.sequence(at: prior), at: index)
            try staged.noteDifferences(from: staged.row(at: prior), at: index)
        }
    }

    /// How many rows are looked up before they are written: few enough that what the look-ups brought into the
    /// processor's cache is still there.
    private static let runLength = 128

    private func apply(
        _ staged: StagedEvents, _ heads: StagedHeads, _ range: Range<Int>, chained: Bool,
        to transaction: any StorageTransaction
    ) throws {
        guard let layout = staged.events[heads[range.lowerBound]].layout else { return }
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
                try pending.append(lookUp(heads[position], staged, chained, layout, transaction))
            }
            for change in pending {
                if let change = try rowChange(change, staged, layout, transaction) { changes.append(change) }
            }
            try changes.withUnsafeBufferPointer { try transaction.apply($0, to: layout) }
            start = end
        }
    }

    /// Links the event at `head`, the first of its record since the last flush, to the one before it.
    @inline(__always)
    private func lookUp(
        _ head: Int, _ staged: StagedEvents, _ chained: Bool, _ layout: ModelLayout,
        _ transaction: any StorageTransaction
    ) throws -> PendingChange {
        let key = staged.key(at: head)
        let tail = chained ? staged.latest(of: key, model: layout.number) ?? head : head
        guard let old = try transaction.get(key, in: layout) else {
            if mayHaveTombstones {
                let tombstone = try transaction.tombstone(layout.number, key)
                if tombstone != 0 { staged.setPrevious(tombstone, at: head) }
            }
            return PendingChange(head: head, tail: tail, existed: false, union: nil)
        }
        staged.setPrevious(old.sequence.value, at: head)
        try staged.noteDifferences(from: old.row, at: head)
        var union: Range<Int>?
        if tail != head, let finalRow = try staged.row(at: tail) {
            union = try scratch.appendDifferences(finalRow, from: old.row, slotCount: layout.row.slotCount)
        }
        return PendingChange(head: head, tail: tail, existed: true, union: union)
    }

    /// What becomes of a row, `nil` where there was none and is none.
    @inline(__always)
    private func rowChange(
        _ change: PendingChange, _ staged: StagedEvents, _ layout: ModelLayout, _ transaction: any StorageTransaction
    ) throws -> RowChange? {
        let key = staged.key(at: change.tail)
        let row = try staged.row(at: change.tail)
        let sequence = staged.sequence(at: change.tail)
        try noteTombstone(key, sequence, hasRow: row != nil, existed: change.existed, layout, transaction)
        if row == nil, !change.existed { return nil }
        let changed: FieldSet
        if let union = change.union {
            changed = FieldSet(bits: scratch[union])
        } else if change.existed, change.tail == change.head {
            changed = FieldSet(bits: UnsafeRawBufferPointer(staged.bitmap(at: change.tail)))
        } else {
            changed = .all
        }
        return RowChange(
            key: key, sequence: SequenceNumber(sequence), row: row, existed: change.existed, changedFields: changed)
    }

    /// Links events that change no row to the one before them of their record, and takes in what events say about a
    /// record's state on a server; in order.
    private func projectServerStates(
        _ staged: StagedEvents, from start: Int, to transaction: any StorageTransaction
    ) throws {
        for index in start..<staged.count {
            let event = staged.events[index]
            if !event.kind.changesRow, event.keyByteCount > 0, let layout = event.layout {
                staged.setPrevious(try eventBefore(index, staged, layout, transaction), at: index)
            }
            if event.kind.tellsServerState {
                try projectServerState(staged.view(at: index), to: transaction)
            }
        }
    }

    /// The last event before the one at `index` that changed the row of its record, 0 where there is none.
    private func eventBefore(
        _ index: Int, _ staged: StagedEvents, _ layout: ModelLayout, _ transaction: any StorageTransaction
    ) throws -> UInt64 {
        let key = staged.key(at: index)
        if var latest = staged.latest(of: key, model: layout.number) {
            // Those behind it are linked already: the first of them to the last before the group.
            while latest > index {
                let prior = Int(staged.events[latest].prior)
                if prior < 0 { return try staged.view(at: latest).previous.value }
                latest = prior
            }
            return staged.sequence(at: latest)
        }
        if let row = try transaction.get(key, in: layout) { return row.sequence.value }
        return try transaction.tombstone(layout.number, key)
    }

    /// What events that came from a server say about their record's state there.
    func projectServerState(_ event: EventView, to transaction: any StorageTransaction) throws {
        switch event.kind {
        case .received, .acknowledged:
            guard let state = event.serverState else { return }
            try transaction.putServerState(ServerStateEntry(state, event.sequence), event.modelNumber, event.key)
        case .leftScope: try transaction.deleteServerState(event.modelNumber, event.key)
        case .saved, .deleted, .rejected, .schemaChanged: break
        }
    }

    /// Hands a group's events to the registered projections, in order, as a replay of the log will.
    func project(_ events: SealedEvents, to transaction: any StorageTransaction) throws {
        guard hasRegisteredProjections else { return }
        try events.forEach { _, bytes in try project(EventView(bytes), to: transaction) }
    }

    /// Hands `view` to the registered projections.
    func project(_ view: EventView, to transaction: any StorageTransaction) throws {
        guard !registered.isEmpty else { return }
        let event = try Event(view, schemas: schemas)
        for (projection, table) in zip(registered, registeredTables) {
            try projection.project(event, into: ProjectionTable(transaction, table))
        }
    }

    /// The tables of the registered projections.
    var registeredTables: ArraySlice<AuxiliaryTable> { auxiliaryTables.dropFirst(BuiltInTables.all.count) }

    /// Hands `view` to the registered projections, each with its own of `tables`.
    func project(_ view: EventView, into tables: [ProjectionTable]) throws {
        let event = try Event(view, schemas: schemas)
        for (projection, table) in zip(registered, tables) { try projection.project(event, into: table) }
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

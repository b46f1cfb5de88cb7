internal import TidelogLMDB

/// Which events a compaction drops (DESIGN, invariant 12). A pure decision over the log and the rows as they are now, so
/// that it may be taken again after any interruption. The log decides: rows point to a record's latest events, and are
/// believed if the log holds those (``RecordStanding``).
///
/// Of each record, a compaction keeps the event that its row comes from; the event that told the server's state, and the
/// mutation which that event answers; its tombstone until outbox and age have passed; and, while it has pending changes,
/// everything from the event before them on. It keeps the latest event of each note, and every schema.
struct LogCompaction: Sendable {
    /// Events above are kept.
    let floor: Position
    /// Where the outbox was when the compaction began; it only moves forward.
    let outboxPosition: SequenceNumber
    /// Whether no server ever had a part in the log: then nothing is awaited, and each record's latest event, and the
    /// last change before what only repeats it, is enough to upload it one day.
    let isLocalOnly: Bool
    /// Tombstones appended after this moment are kept; microseconds since 1970-01-01T00:00:00Z.
    let tombstoneDeadline: Int64
    /// The records with pending changes, and for each the first of its events that is kept.
    let pinned: [RecordKey: UInt64]

    /// Looks through the log for changes that are pending. Takes memory for the records that have such changes.
    init(_ reader: LogSlices, floor: Position, tombstoneDeadline: Int64) throws {
        self.floor = floor
        self.tombstoneDeadline = tombstoneDeadline
        outboxPosition = try reader.position(of: ConsumerName.outbox)?.sequence ?? .zero
        isLocalOnly = try outboxPosition == .zero && !Self.knowsServer(reader)
        pinned = isLocalOnly ? [:] : try Self.pending(reader, after: outboxPosition)
    }

    private static func knowsServer(_ reader: LogSlices) throws -> Bool {
        var isFound = false
        try reader.forEach(after: .zero) { event in
            isFound =
                event.origin == .remote || event.serverState != nil || event.answer != nil || event.kind == .noted
            return !isFound
        }
        return isFound
    }

    /// The records with changes after `outbox`, and for each the event from which on its events are kept: the one that
    /// left the row which the oldest of these changes started from, or else that change.
    private static func pending(
        _ reader: LogSlices, after outbox: SequenceNumber
    ) throws -> [RecordKey: UInt64] {
        var first: [RecordKey: UInt64] = [:]
        try reader.forEach(after: outbox) { event in
            guard event.isLocalChange else { return true }
            let record = RecordKey(event)
            if first[record] == nil {
                first[record] = event.previous == .zero ? event.sequence.value : event.previous.value
            }
            return true
        }
        return first
    }

    /// What becomes of an event.
    enum Fate {
        case kept
        case dropped
        /// It is the last trace of a record or a note, and goes once everything else of the record or note is gone.
        case droppedLast
    }

    /// What becomes of `event`, which is not above the floor.
    ///
    /// - Parameters:
    ///   - rows: The rows at the log's head.
    ///   - find: The event with a number, `nil` if there is none.
    /// - Throws: ``RowsDisagreement`` if the rows say otherwise than the log.
    func fate(
        of event: EventView, rows: any AdapterReader, layout: SchemaLayout, find: (UInt64) throws -> EventView?
    ) throws -> Fate {
        if event.kind == .noted {
            switch try NoteStanding(of: event, rows: rows, find: find) {
            case .superseded: return .dropped
            case .latest: return event.noteValue == nil ? .droppedLast : .kept
            }
        }
        guard event.modelNumber != 0, let model = layout.model(numbered: event.modelNumber) else { return .kept }
        let sequence = event.sequence
        let standing = try RecordStanding(of: event, model, rows: rows, find: find)
        guard let latest = standing.latest else { return .kept }
        if !standing.hasRow, try isExpired(latest, standing.told, of: event, find) {
            return latest == sequence ? .droppedLast : .dropped
        }
        if latest == sequence || standing.told == sequence { return .kept }
        if standing.hasRow, isLocalOnly, try isBehindRepetition(event, latest, find) { return .kept }
        if !pinned.isEmpty, let first = pinned[RecordKey(event)], sequence.value >= first { return .kept }
        guard let told = standing.told, let answer = try find(told.value)?.answer else { return .dropped }
        return answer.mutation.sequence == sequence ? .kept : .dropped
    }

    /// Whether `event` is the last change of its record before the migrations and unchanged saves that repeat it, or one of
    /// those migrations: a store that is attached to a server one day uploads what was changed, and nothing else.
    private func isBehindRepetition(
        _ event: EventView, _ last: SequenceNumber, _ find: (UInt64) throws -> EventView?
    ) throws -> Bool {
        if event.isUnchanged, !event.isMigrated { return false }
        var place = last
        while place > event.sequence {
            // An earlier compaction dropped an unchanged save here, and left nothing before it but what it repeats.
            guard let later = try find(place.value) else { return true }
            guard later.isMigrated || later.isUnchanged else { return false }
            place = later.previous
        }
        return place == event.sequence
    }

    /// Whether nothing of the record of `event` is to be kept, whose row the event at `tombstone` removed.
    private func isExpired(
        _ tombstone: SequenceNumber, _ told: SequenceNumber?, of event: EventView,
        _ find: (UInt64) throws -> EventView?
    ) throws -> Bool {
        if !pinned.isEmpty, pinned[RecordKey(event)] != nil { return false }
        if let told, told > floor.sequence { return false }
        guard tombstone <= floor.sequence, let last = try find(tombstone.value) else { return false }
        if last.wallClock > tombstoneDeadline { return false }
        return isLocalOnly || !last.isLocalChange || last.sequence <= outboxPosition
    }
}

extension LogCompaction {
    /// How much one slice looks at and drops at most: a few milliseconds of the writer's time.
    private static let sliceEventCount = 20_000
    static let sliceDropCount = 4_000

    /// A compaction goes over the log twice, so that it may be interrupted anywhere: a record's tombstone says why events
    /// of it go, and goes after them.
    enum Phase: CaseIterable {
        /// Everything but tombstones and removals of notes.
        case superseded
        /// Tombstones and removals of notes that are the last traces of their records and notes.
        case tombstones
    }

    /// What one slice did.
    struct Slice: Sendable {
        /// The last event looked at; `nil` once nothing is left.
        var last: SequenceNumber?
        var droppedCount = 0
        /// Whether an event was left for the second phase.
        var leavesTombstones = false
    }

    /// Drops what is not kept of the events after `sequence`, up to a slice's size and at most `limit`, in `transaction`.
    func drop(
        _ phase: Phase, after sequence: SequenceNumber, limit: Int, in transaction: WriteTransaction,
        _ keyspace: Keyspace,
        rows: any AdapterReader, layout: SchemaLayout
    ) throws -> Slice {
        let cursor = try transaction.cursor(keyspace)
        let find = { (number: UInt64) throws -> EventView? in
            try withIntegerKey(number) { key in
                try transaction.get(keyspace, key).map { try EventView.verified($0, number) }
            }
        }
        var slice = Slice()
        var seenCount = 0
        var entry = try withIntegerKey(sequence.value + 1) { try cursor.seek(atLeast: $0) }
        while let current = entry, seenCount < Self.sliceEventCount, slice.droppedCount < limit {
            let number = UInt64(integerKey: current.key)
            guard number <= floor.sequence.value else { break }
            // Damage may lead in circles.
            guard number > slice.last?.value ?? sequence.value else {
                throw DataStoreError.damagedLog("has event \(number) out of order")
            }
            let event = try EventView.verified(current.value, number)
            if phase == .superseded || event.leavesNothing {
                let fate = try fate(of: event, rows: rows, layout: layout, find: find)
                if fate == .droppedLast { slice.leavesTombstones = true }
                if fate == (phase == .superseded ? .dropped : .droppedLast) {
                    try cursor.deleteCurrent()
                    slice.droppedCount += 1
                }
            }
            slice.last = SequenceNumber(number)
            seenCount += 1
            entry = try cursor.next()
        }
        return slice
    }
}

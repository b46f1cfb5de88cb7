internal import TidelogLMDB

/// Decides which events a compaction drops (DESIGN, invariant 12).
///
/// The decision depends only on the log and the present rows, so it can be repeated after any interruption. The log decides:
/// rows name a record's latest events, but are trusted only if the log has these events (``RecordStanding``).
///
/// For each record, a compaction keeps the event of its row, the event with its latest server state, and the mutation that the
/// latter event answers. It keeps a tombstone until the outbox has passed it and it is old enough. If a record has pending
/// changes, it keeps all events from the event before these changes. It also keeps the latest event of each note, and every
/// schema.
struct LogCompaction: Sendable {
    /// Events after this position are kept.
    let floor: Position
    /// The outbox's position when the compaction began. It only moves forward.
    let outboxPosition: SequenceNumber
    /// Whether the log has never had anything to do with a server.
    ///
    /// Then no answer is expected. To upload the store later, it is enough to keep each record's latest event, and the last
    /// change before events that only repeat that change.
    let isLocalOnly: Bool
    /// Tombstones that were appended after this moment are kept. In microseconds since 1970-01-01T00:00:00Z.
    let tombstoneDeadline: Int64
    /// The records with pending changes, each with the first of its events that is kept.
    let pinned: [RecordKey: UInt64]

    /// Searches the log for pending changes. The memory that this takes grows with the number of records with pending changes.
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

    /// The records with changes after `outbox`, each with the first of its events that is kept.
    ///
    /// This is the event whose row the oldest of these changes started from. If there is none, it is the oldest change itself.
    private static func pending(_ reader: LogSlices, after outbox: SequenceNumber) throws -> [RecordKey: UInt64] {
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

    /// The decision about an event.
    enum Fate {
        case kept
        case dropped
        /// The event is the last trace of a record or a note. It is dropped after all other events of that record or note.
        case droppedLast
    }

    /// Decides about `event`, which is not after the floor.
    ///
    /// - Parameters:
    ///   - rows: The rows at the log's head.
    ///   - find: Returns the event with a number, or `nil` if there is none.
    /// - Throws: ``RowsDisagreement`` if the rows contradict the log.
    func fate(
        of event: EventView, rows: any AdapterReader, layout: SchemaLayout, find: (UInt64) throws -> EventView?
    ) throws -> Fate {
        if event.kind == .noted {
            switch try SyncNote.Standing(of: event, rows: rows, find: find) {
            case .superseded: return .dropped
            case .latest: return event.noteValue == nil ? .droppedLast : .kept
            }
        }
        guard event.modelNumber != 0, let model = layout.model(numbered: event.modelNumber) else { return .kept }
        let sequence = event.sequence
        let standing = try RecordStanding(of: event, model, rows: rows, find: find)
        assert(standing.latest != nil || !standing.hasRow, "a row comes from an event of the log")
        guard let latest = standing.latest else { return .kept }
        if !standing.hasRow, try isExpired(latest, standing.serverStateEvent, of: event, find) {
            return latest == sequence ? .droppedLast : .dropped
        }
        if latest == sequence || standing.serverStateEvent == sequence { return .kept }
        if standing.hasRow, isLocalOnly, try isBehindRepetition(event, latest, find) { return .kept }
        if !pinned.isEmpty, let first = pinned[RecordKey(event)], sequence.value >= first { return .kept }
        guard let stated = standing.serverStateEvent, let answer = try find(stated.value)?.answer else {
            return .dropped
        }
        return answer.mutation.sequence == sequence ? .kept : .dropped
    }

    /// Whether `event` is needed to upload its record later.
    ///
    /// That is the case for the last change before the migrations and unchanged saves that repeat it, and for those migrations.
    /// If the store is later connected to a server, it uploads only the changes.
    private func isBehindRepetition(
        _ event: EventView, _ last: SequenceNumber, _ find: (UInt64) throws -> EventView?
    ) throws -> Bool {
        if event.isUnchanged, !event.isMigrated { return false }
        var place = last
        while place > event.sequence {
            // An earlier compaction dropped an unchanged save here. The only event that it left before is the repeated one.
            guard let later = try find(place.value) else { return true }
            guard later.isMigrated || later.isUnchanged else { return false }
            place = later.previous
        }
        return place == event.sequence
    }

    /// Whether all events of the record of `event` can be dropped. The event at `tombstone` removed the record's row.
    private func isExpired(
        _ tombstone: SequenceNumber, _ serverStateEvent: SequenceNumber?, of event: EventView,
        _ find: (UInt64) throws -> EventView?
    ) throws -> Bool {
        if !pinned.isEmpty, pinned[RecordKey(event)] != nil { return false }
        if let serverStateEvent, serverStateEvent > floor.sequence { return false }
        guard tombstone <= floor.sequence, let last = try find(tombstone.value) else { return false }
        if last.wallClock > tombstoneDeadline { return false }
        return isLocalOnly || !last.isLocalChange || last.sequence <= outboxPosition
    }

    /// The limits for the events that one slice reads and drops. They take a few milliseconds of the writer's time.
    private static let sliceEventCount = 20_000
    static let sliceDropCount = 4_000

    /// The phases of a compaction, which reads the log twice.
    ///
    /// A record's tombstone shows why the record's events are dropped, so it is dropped after them. This allows an interruption
    /// at any time.
    enum Phase: CaseIterable {
        /// All events except tombstones and removals of notes.
        case superseded
        /// The tombstones and removals of notes that are the last traces of their records and notes.
        case tombstones
    }

    /// The result of one slice.
    struct Slice: Sendable {
        /// The last event that was read, or `nil` if there are no further events.
        var last: SequenceNumber?
        var droppedCount = 0
        /// Whether an event was left for the second phase.
        var leavesTombstones = false
    }

    /// Drops the events after `sequence` that are not kept, up to a slice's size and at most `limit` events, in `transaction`.
    func drop(
        _ phase: Phase, after sequence: SequenceNumber, limit: Int, in transaction: WriteTransaction,
        _ keyspace: Keyspace,
        rows: any AdapterReader, layout: SchemaLayout
    ) throws -> Slice {
        precondition(limit > 0, "a slice may drop an event")
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
            // In a damaged log, the numbers may go in a circle.
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

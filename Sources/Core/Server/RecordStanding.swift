/// Where a record stands: which events its row, its tombstone and its server's state come from, as the rows say, and as the
/// log confirms.
///
/// Rows only point: the event that they name as a record's latest is read, and must be of that record and leave what they
/// say it left. So an event counts as superseded only if the log itself holds a later one of the same record.
struct RecordStanding {
    /// The latest event that changed the record's row; `nil` if the log holds none.
    let latest: SequenceNumber?
    /// Whether that event left a row.
    let hasRow: Bool
    /// The event that told the server's state last, `nil` if there is none.
    let told: SequenceNumber?

    /// Where the record of `event` stands.
    ///
    /// - Parameter find: The event of the log with a number, `nil` if there is none.
    /// - Throws: ``RowsDisagreement`` if the rows cannot be right.
    init(
        of event: EventView, _ model: ModelLayout, rows: any AdapterReader, find: (UInt64) throws -> EventView?
    ) throws {
        let disagreement = RowsDisagreement(sequence: event.sequence, model: model.name)
        let stated = try rows.serverStateEntry(model.number, event.key)?.sequence
        let row = try rows.get(event.key, in: model)?.sequence
        let named = try row ?? SequenceNumber(rows.tombstone(model.number, event.key))
        hasRow = row != nil
        if named == event.sequence {
            guard event.changesRow, (event.row != nil) == hasRow else { throw disagreement }
            latest = named
        } else if let found = named == .zero ? nil : try find(named.value) {
            guard found.isOfRecord(of: event), found.changesRow, (found.row != nil) == hasRow,
                named > event.sequence || !event.changesRow
            else { throw disagreement }
            latest = named
        } else {
            // The last trace of a record whose tombstone is gone already.
            guard !hasRow, !event.changesRow else { throw disagreement }
            latest = nil
        }
        guard let stated, stated != event.sequence, latest != nil else {
            told = stated
            guard stated == nil || latest == nil || event.serverState != nil else { throw disagreement }
            return
        }
        guard let teller = try find(stated.value) else {
            // What a server said of a record that is gone goes before its tombstone.
            guard !hasRow else { throw disagreement }
            told = nil
            return
        }
        guard teller.isOfRecord(of: event), teller.serverState != nil else { throw disagreement }
        told = stated
    }
}

/// The rows say something about the record, or the note, of an event that the log rules out.
struct RowsDisagreement: Error {
    let sequence: SequenceNumber
    /// The record's model, `nil` if the event is a note.
    let model: String?
}

/// Compares where the rows say that records stand with every event of the log, before a compaction relies on them.
struct StandingVerification {
    /// Server states that the rows do not have: right only if their record left the scope later.
    private var unsettled: [RecordKey: RowsDisagreement] = [:]

    /// - Parameters:
    ///   - log: The log.
    ///   - rows: Rows of that log, up to their checkpoint.
    /// - Throws: ``RowsDisagreement`` for the first event that the rows contradict.
    static func run(_ log: LogSlices, _ rows: any AdapterReader, _ layout: SchemaLayout) throws {
        var verification = StandingVerification()
        let checkpoint = rows.checkpointSequence
        try log.forEach(after: .zero) { event in
            guard event.sequence <= checkpoint else { return false }
            try verification.check(event, log, rows, layout)
            return true
        }
        if let disagreement = verification.unsettled.values.first { throw disagreement }
    }

    private mutating func check(
        _ event: EventView, _ log: LogSlices, _ rows: any AdapterReader, _ layout: SchemaLayout
    ) throws {
        if event.kind == .noted {
            _ = try NoteStanding(of: event, rows: rows) { try log.event(at: SequenceNumber($0)) }
            return
        }
        guard let model = layout.model(numbered: event.modelNumber) else { return }
        let standing = try RecordStanding(of: event, model, rows: rows) { try log.event(at: SequenceNumber($0)) }
        if event.kind == .leftScope {
            if !unsettled.isEmpty { unsettled[RecordKey(event)] = nil }
            // What the server says after a record left is told by later events.
            if let told = standing.told, told < event.sequence {
                throw RowsDisagreement(sequence: event.sequence, model: model.name)
            }
        } else if event.tellsState, standing.told.map({ $0 < event.sequence }) ?? true {
            unsettled[RecordKey(event)] = RowsDisagreement(sequence: event.sequence, model: model.name)
        }
    }
}

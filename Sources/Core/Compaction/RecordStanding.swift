/// The events from which a record's row, tombstone and server state come, as the rows claim and the log confirms.
///
/// Rows only name events. The event that they name as a record's latest is read, and must belong to that record and leave the
/// same row or no row. Therefore an event counts as superseded only if the log itself has a later event of the same record.
struct RecordStanding {
    /// The latest event that changed the record's row, or `nil` if the log has none.
    let latest: SequenceNumber?
    /// Whether that event left a row.
    let hasRow: Bool
    /// The event with the latest server state, or `nil` if there is none.
    let serverStateEvent: SequenceNumber?

    /// The standing of the record of `event`.
    ///
    /// - Parameter find: Returns the event of the log with a number, or `nil` if there is none.
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
            // This is the last trace of a record whose tombstone was dropped already.
            guard !hasRow, !event.changesRow else { throw disagreement }
            latest = nil
        }
        guard let stated, stated != event.sequence, latest != nil else {
            serverStateEvent = stated
            guard stated == nil || latest == nil || event.serverState != nil else { throw disagreement }
            return
        }
        guard let found = try find(stated.value) else {
            // The server state of a deleted record is dropped before its tombstone.
            guard !hasRow else { throw disagreement }
            serverStateEvent = nil
            return
        }
        guard found.isOfRecord(of: event), found.serverState != nil else { throw disagreement }
        serverStateEvent = stated
    }

    /// Compares the rows with every event of the log before a compaction relies on them.
    struct Verification {
        /// Server states that the rows do not have. This is correct only if the record left the scope later.
        private var unsettled: [RecordKey: RowsDisagreement] = [:]

        /// - Parameters:
        ///   - log: The log.
        ///   - rows: The rows of that log, up to their checkpoint.
        /// - Throws: ``RowsDisagreement`` for the first event that the rows contradict.
        static func run(_ log: LogSlices, _ rows: any AdapterReader, _ layout: SchemaLayout) throws {
            var verification = Verification()
            let checkpoint = rows.checkpointSequence
            try log.forEach(after: .zero) { event in
                guard event.sequence <= checkpoint else { return false }
                try verification.check(event, in: log, rows, layout)
                return true
            }
            if let disagreement = verification.unsettled.values.first { throw disagreement }
        }

        private mutating func check(
            _ event: EventView, in log: LogSlices, _ rows: any AdapterReader, _ layout: SchemaLayout
        ) throws {
            if event.kind == .noted {
                _ = try SyncNote.Standing(of: event, rows: rows) { try log.event(at: SequenceNumber($0)) }
                return
            }
            guard let model = layout.model(numbered: event.modelNumber) else { return }
            let standing = try RecordStanding(of: event, model, rows: rows) { try log.event(at: SequenceNumber($0)) }
            if event.kind == .leftScope {
                if !unsettled.isEmpty { unsettled[RecordKey(event)] = nil }
                // If a record has left the scope, only later events contain its server state.
                if let stated = standing.serverStateEvent, stated < event.sequence {
                    throw RowsDisagreement(sequence: event.sequence, model: model.name)
                }
            } else if event.tellsState, standing.serverStateEvent.map({ $0 < event.sequence }) ?? true {
                unsettled[RecordKey(event)] = RowsDisagreement(sequence: event.sequence, model: model.name)
            }
        }
    }
}

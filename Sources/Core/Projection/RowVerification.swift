/// Compares rows with the log from which they were made.
///
/// It checks every event against the rows and every row against the log, so it needs to keep neither in memory.
struct RowVerification {
    let reader: LogSlices
    let rows: any AdapterReader
    let layout: SchemaLayout
    let upcasts: SchemaUpcasts
    /// The last event in the rows. Later events are not checked.
    let checkpoint: SequenceNumber
    let floor: SequenceNumber
    private(set) var differences: [String] = []
    /// Server states that the table does not have. This is correct only if the record left the scope later.
    private var unsettled: [RecordKey: SequenceNumber] = [:]
    private var hasTombstones = false

    /// The largest number of differences that are reported one by one.
    private static let reportedCount = 100

    init(_ reader: LogSlices, _ rows: any AdapterReader, layout: SchemaLayout, upcasts: SchemaUpcasts) throws {
        self.reader = reader
        self.rows = rows
        self.layout = layout
        self.upcasts = upcasts
        floor = try reader.metadata().floor.sequence
        checkpoint = try rows.checkpoint()?.sequence ?? .zero
    }

    /// Returns the descriptions of the differences. If there are any, the rows must be rebuilt.
    mutating func run(progress: ((SequenceNumber) -> Void)? = nil) throws -> [String] {
        try checkCheckpoint()
        for model in layout.models { try checkRows(of: model) }
        try checkEntries(of: .tombstones)
        try checkEntries(of: .serverStates)
        try checkNotes()
        try reader.forEach(after: .zero, paused: progress) { event in
            guard event.sequence <= checkpoint else { return false }
            try check(event)
            return true
        }
        for (_, sequence) in unsettled { note("the server's state of event \(sequence) is not in its table") }
        return differences
    }

    private mutating func note(_ difference: String) {
        if differences.count < Self.reportedCount { differences.append(difference) }
    }

    private mutating func checkCheckpoint() throws {
        guard let found = try rows.checkpoint() else {
            if try reader.view().head() != nil { note("the rows have no checkpoint") }
            return
        }
        let metadata = try reader.metadata()
        let chain = found.sequence == floor ? metadata.floor.chain : try reader.event(at: found.sequence)?.chain
        if found.store != metadata.store || found.sequence < floor || chain != found.chain {
            note("the checkpoint \(found.sequence) is of another log")
        }
    }

    /// Checks that every row is equal to the row of the event that it names.
    private mutating func checkRows(of model: ModelLayout) throws {
        var found: [String] = []
        try rows.fetch(try StorageQuery(model: model)) { row in
            if let reason = try reason(against: row, of: model) {
                found.append("a row of \(model.name) from event \(row.sequence): \(reason)")
            }
            return found.count < Self.reportedCount
        }
        found.forEach { note($0) }
    }

    private func reason(against row: StoredRow, of model: ModelLayout) throws -> String? {
        guard let event = try reader.event(at: row.sequence) else { return "there is no such event" }
        guard event.modelNumber == model.number, ByteComparison.order(event.key, row.key) == 0 else {
            return "the event is of another record"
        }
        var arenas: [ByteArena] = []
        defer { withExtendedLifetime(arenas) {} }
        guard let written = try upcasts.row(of: event, model, keptBy: &arenas) else { return "the event leaves no row" }
        return try row.row.isEqual(to: written, layout: model.row) ? nil : "the event's row differs"
    }

    /// Checks that every entry of a built-in table matches the event that it names, unless compaction dropped that event.
    private mutating func checkEntries(of table: AuxiliaryTable) throws {
        var found: [String] = []
        try rows.auxiliaryEntries(after: nil, in: table) { key, value in
            if table == AuxiliaryTable.tombstones { hasTombstones = true }
            guard let sequence = AuxiliaryTable.sequence(of: value, in: table) else {
                found.append("an entry of \(table.name) does not decode")
                return true
            }
            guard let event = try reader.event(at: sequence) else {
                if sequence > floor {
                    found.append("an entry of \(table.name) names event \(sequence), which is not there")
                }
                return true
            }
            let isRight =
                table == AuxiliaryTable.tombstones
                ? event.leavesNoRow
                : event.serverState != nil && event.serverState == ServerState.Entry(encoded: value)?.state
            let isSame = AuxiliaryTable.withKey(event.modelNumber, event.key) { ByteComparison.order($0, key) == 0 }
            if !isRight || !isSame { found.append("an entry of \(table.name) differs from event \(sequence)") }
            return found.count < Self.reportedCount
        }
        found.forEach { note($0) }
    }

    /// Checks that every entry of the table of notes matches the event that it names, unless compaction dropped that event.
    private mutating func checkNotes() throws {
        var found: [String] = []
        try rows.auxiliaryEntries(after: nil, in: .notes) { name, value in
            guard let entry = SyncNote.Entry(encoded: value) else {
                found.append("a note does not decode")
                return true
            }
            let event = try reader.event(at: entry.sequence)
            let isRight =
                event.map { event in
                    event.kind == .noted && ByteComparison.order(event.key, name) == 0
                        && SyncNote.Entry.encoded(event).elementsEqual(value)
                } ?? (entry.value == nil && entry.sequence <= floor)
            if !isRight { found.append("a note differs from event \(entry.sequence)") }
            return found.count < Self.reportedCount
        }
        found.forEach { note($0) }
    }

    /// Whether the rows have the note of `event` or of a later event with the same name.
    private func holdsNote(of event: EventView) throws -> Bool {
        do {
            return try rows.noteEntry(event.key).map { $0.sequence >= event.sequence } ?? false
        } catch is RowDamage {
            // The entry cannot be decoded. The check of the entries reports that.
            return true
        }
    }

    /// Checks that the rows contain `event` or a later event of its record.
    private mutating func check(_ event: EventView) throws {
        if event.kind == .noted {
            if try !holdsNote(of: event) { note("the note of event \(event.sequence) is not in the rows") }
            return
        }
        guard let model = layout.model(numbered: event.modelNumber) else { return }
        if event.changesRow {
            let row = try rows.get(event.key, in: model)?.sequence
            let last = try row ?? SequenceNumber(rows.tombstone(model.number, event.key))
            if last < event.sequence {
                note("event \(event.sequence) of \(model.name) is not in the rows")
            } else if last == event.sequence, (row == nil) != (event.row == nil) {
                note("event \(event.sequence) of \(model.name) has left other rows than it says")
            } else if row == event.sequence, hasTombstones, try rows.tombstone(model.number, event.key) != 0 {
                note("the row of event \(event.sequence) of \(model.name) has a tombstone")
            }
        }
        if event.kind == .leftScope {
            if !unsettled.isEmpty { unsettled[RecordKey(event)] = nil }
            if let told = try rows.serverStateEntry(model.number, event.key)?.sequence, told < event.sequence {
                note("a server state has outlived its record's leaving with event \(event.sequence)")
            }
        }
        if event.kind == .received || event.kind == .acknowledged, event.serverState != nil {
            let told = try rows.serverStateEntry(model.number, event.key)?.sequence
            if told.map({ $0 < event.sequence }) ?? true { unsettled[RecordKey(event)] = event.sequence }
        }
    }
}

extension RowView {
    /// Whether both rows have the same values in all fields of `layout`.
    ///
    /// Their encodings may differ in length if one of them was written with an older schema.
    func isEqual(to other: RowView, layout: RowLayout) throws(RowDamage) -> Bool {
        if ByteComparison.order(bytes, other.bytes) == 0 { return true }
        for field in layout.fields {
            switch (try value(field.slot), try other.value(field.slot)) {
            case (nil, nil): continue
            case (let mine?, let theirs?):
                guard ByteComparison.order(mine, theirs) == 0 else { return false }
            default: return false
            }
        }
        return true
    }
}

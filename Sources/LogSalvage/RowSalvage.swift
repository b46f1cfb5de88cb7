@_spi(Adapters) internal import TidelogCore

/// Adds to a salvaged log the facts that only the rows still have: records, deletions and server states whose events are lost.
///
/// The rows show the state at their checkpoint. They do not have the changes of later salvaged events. If an event was
/// salvaged, its facts are not added a second time.
struct RowSalvage {
    private let rows: any AdapterReader
    private let layout: SchemaLayout
    let checkpoint: Checkpoint
    /// The records that salvaged events after the checkpoint changed, and the records whose server state these events contain.
    private var changed: Set<RecordKey> = []
    private var told: Set<RecordKey> = []
    /// The names of the notes in salvaged events after the checkpoint.
    private var noted: Set<[UInt8]> = []
    private let staged = StagedEvents()
    private var outbox = SequenceNumber.zero

    private static let commitEventCount = 10_000
    private static let commitByteCount = 16 << 20

    init(_ rows: any AdapterReader, _ checkpoint: Checkpoint, _ schema: StoredSchema) {
        self.rows = rows
        self.checkpoint = checkpoint
        layout = SchemaLayout(schema)
    }

    /// Remembers an event that is salvaged.
    mutating func note(_ event: EventView) {
        guard event.sequence > checkpoint.sequence else { return }
        if let name = event.noteName { noted.insert(Array(name)) }
        guard event.modelNumber != 0 else { return }
        let record = RecordKey(event)
        if event.changesRow { changed.insert(record) }
        if event.kind.tellsServerState { told.insert(record) }
    }

    /// Adds the missing facts after all events that `salvage` has copied.
    ///
    /// - Parameter answered: The mutations that a server has answered, as the copied events show.
    mutating func add(to salvage: inout LogSalvage, answered: AnsweredMutations) throws {
        outbox = max(answered.last, salvage.survey.metadata.consumers[ConsumerName.outbox]?.sequence ?? .zero)
        // A number that was once given to an event is never given to a different event.
        let start = max(salvage.last.sequence, checkpoint.sequence, SequenceNumber(salvage.survey.head ?? 0))
        begin(after: Position(sequence: start, chain: salvage.last.chain), salvage)
        if !salvage.holdsSchema(checkpoint.schemaVersion) {
            try salvage.stageSchema(checkpoint.schemaVersion, in: staged)
        }
        for model in layout.models { try addRecords(of: model, to: &salvage) }
        try addEntries(of: .tombstones, to: &salvage)
        try addEntries(of: .serverStates, to: &salvage)
        try addNotes(to: &salvage)
        try commit(to: &salvage)
    }

    private func begin(after position: Position, _ salvage: LogSalvage) {
        staged.begin(after: position, wallClock: WallClock.microsecondsSince1970(), incarnation: salvage.incarnation)
        staged.beginCommit()
    }

    private func commit(to salvage: inout LogSalvage) throws {
        guard staged.count > 0 else { return }
        let sealed = SealedEvents(sealing: staged, commitEnds: [staged.count])
        try salvage.append(sealed)
        begin(after: sealed.end, salvage)
    }

    private func commitIfLarge(_ salvage: inout LogSalvage) throws {
        guard staged.count >= Self.commitEventCount || staged.byteCount >= Self.commitByteCount else { return }
        try commit(to: &salvage)
    }

    /// Whether the event at `sequence` is lost. It must be at or before the rows' checkpoint.
    private func isLost(_ sequence: SequenceNumber, _ salvage: LogSalvage) -> Bool {
        sequence > .zero && sequence <= checkpoint.sequence && !salvage.survey.contains(sequence.value)
    }

    private func header(_ kind: EventKind, _ sequence: SequenceNumber, isRemote: Bool = false) -> EventHeader {
        var flags = EventFlags.salvaged
        // A fact that came from a server, or that a server has answered, is not sent to it again.
        if isRemote || sequence <= outbox { flags.insert(.remote) }
        return EventHeader(kind: kind, flags: flags, schemaVersion: checkpoint.schemaVersion)
    }

    private mutating func addRecords(of model: ModelLayout, to salvage: inout LogSalvage) throws {
        var unreadableCount = 0
        try rows.fetch(try StorageQuery(model: model)) { row in
            guard isLost(row.sequence, salvage),
                !changed.contains(RecordKey(model: model.number, key: row.key))
            else { return true }
            guard isWhole(row, model) else {
                unreadableCount += 1
                return true
            }
            let told = try rows.serverStateEntry(model.number, row.key)?.sequence
            let header = header(.saved, row.sequence, isRemote: told == row.sequence)
            guard let index = try? staged.stageEncoded(row.row.bytes, model, header: header) else {
                unreadableCount += 1
                return true
            }
            staged.setPrevious(row.sequence.value, at: index)
            salvage.report.recordCount += 1
            try commitIfLarge(&salvage)
            return true
        }
        if unreadableCount > 0 {
            salvage.report.shortcomings.append("\(unreadableCount) damaged rows of \(model.name) were left out.")
        }
    }

    /// Whether every field of a row can be read and its key matches the key under which it is stored.
    private func isWhole(_ row: StoredRow, _ model: ModelLayout) -> Bool {
        guard let key = try? model.primaryKey(of: row.row), (try? Record(row.row, layout: model)) != nil else {
            return false
        }
        return key.withUnsafeBytes { ByteComparison.order($0, row.key) == 0 }
    }

    private mutating func addNotes(to salvage: inout LogSalvage) throws {
        try rows.auxiliaryEntries(after: nil, in: .notes) { name, value in
            guard let entry = SyncNote.Entry(encoded: value), isLost(entry.sequence, salvage),
                !noted.contains(Array(name))
            else { return true }
            var header = header(.noted, entry.sequence)
            if entry.value == nil { header.flags.insert(.rowIsAbsent) }
            _ = try staged.stage(nil, key: name, header: header, payload: entry.value.map { Array($0) } ?? [])
            salvage.report.noteCount += 1
            try commitIfLarge(&salvage)
            return true
        }
    }

    private mutating func addEntries(of table: AuxiliaryTable, to salvage: inout LogSalvage) throws {
        try rows.auxiliaryEntries(after: nil, in: table) { key, value in
            guard key.count > 4, let base = key.baseAddress,
                let model = layout.model(
                    numbered: UInt32(bigEndian: UnsafeRawPointer(base).loadUnaligned(as: UInt32.self))),
                let sequence = AuxiliaryTable.sequence(of: value, in: table), isLost(sequence, salvage)
            else { return true }
            let primaryKey = UnsafeRawBufferPointer(rebasing: key[4...])
            let record = RecordKey(model: model.number, key: primaryKey)
            let index: Int
            if table == AuxiliaryTable.tombstones {
                guard !changed.contains(record) else { return true }
                index = try staged.stage(model, key: primaryKey, header: header(.deleted, sequence))
            } else {
                guard !told.contains(record), let state = ServerState.Entry(encoded: value)?.state else { return true }
                index = try staged.stage(
                    model, key: primaryKey, header: header(.acknowledged, sequence, isRemote: true),
                    sections: EventSections(server: state))
            }
            staged.setPrevious(sequence.value, at: index)
            salvage.report.noteCount += 1
            try commitIfLarge(&salvage)
            return true
        }
    }
}

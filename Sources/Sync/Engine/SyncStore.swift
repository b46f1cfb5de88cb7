package import TidelogCore

/// Executes the actions of the sync engine on a store.
package struct SyncStore: SyncStorage {
    /// The error for a record that was changed after the last event that the machines have read.
    package struct Overtaken: Error {}

    package let store: DataStore
    package let models: SyncModels
    /// The generation of the log to read and write; `nil` for the generation that the store has at each call. After the store
    /// was cleared, the engine must not write data that it received before into the new log. It also must not take the events
    /// of the new log for the events that follow the ones it has read.
    let generation: Int?
    /// Whether the server's records have versions.
    package let hasVersions: Bool
    /// The identity that the next write notes; `nil` if none must be noted.
    let unnoted = SharedValue<SyncIdentity>()
    /// The last write, if it only appended records that the store did not have.
    let newRecords = SharedValue<Commit>()
    /// Whether the sync expression of its model includes a record; `nil` if no model has an expression.
    let expression: (@Sendable (Record) -> Bool)?

    package init(
        _ store: DataStore, _ models: SyncModels, generation: Int? = nil, hasVersions: Bool = true,
        isInScope: (@Sendable (Record) -> Bool)? = nil
    ) {
        self.hasVersions = hasVersions
        self.generation = generation
        self.store = store
        self.models = models
        expression = isInScope
    }

    /// Whether the sync expression of its model includes a record.
    package func includes(_ row: Record) -> Bool { expression?(row) ?? true }

    var reconciler: Reconciler { Reconciler(hasVersions: hasVersions) }

    var isInScope: @Sendable (Record) -> Bool { expression ?? { _ in true } }

    // MARK: Reading

    package func contents() async throws -> SyncMachine.Contents {
        let notes = try await store.read { snapshot in
            var notes: [String: [UInt8]] = [:]
            try snapshot.forEachNote { note in
                notes[note.name] = note.value
                return true
            }
            return notes
        }
        var (marks, tries) = ([Int: SentMark](), [Int: FailedTries]())
        var held: [SetAsideChange] = []
        for (name, value) in notes {
            if let slot = NoteName.slot(in: name, after: NoteName.sentPrefix) {
                marks[slot] = SentMark(encoded: value)
            } else if let slot = NoteName.slot(in: name, after: NoteName.triesPrefix) {
                tries[slot] = FailedTries(encoded: value)
            } else if name.hasPrefix(NoteName.setAsidePrefix), let change = SetAsideChange(encoded: value) {
                if change.holdsRow { held.append(change) }
            }
        }
        let position = try store.outboxPosition
        var pending = PendingChanges(after: position, held: held)
        let events = try store.events(after: position.sequence, onlyIn: generation).events
        try await read(events, after: position, isQuiet: pending.isEmpty) { entry, _ in
            pending.append(entry)
            return pending.isEmpty
        }
        // A set-aside change lets the outbox's position advance, so the server's record may have come before that position.
        for change in held where pending.shadow(of: change.reference) == nil {
            if let shadow = try await shadow(of: change) { pending.note(shadow) }
        }
        return SyncMachine.Contents(notes: notes, position: position, pending: pending, marks: marks, tries: tries)
    }

    /// - Throws: ``DataStoreError``: `storeCleared` if the store was cleared, so that its log is another one.
    package func newEvents(
        after position: Position, isQuiet: Bool, isHeard: Bool
    ) async throws -> SyncMachine.NewEvents {
        var new = SyncMachine.NewEvents()
        let (head, events) = try store.events(after: position.sequence, onlyIn: generation)
        guard head.sequence > position.sequence else { return new }
        // If all new events are one page of records that the store did not have, no event need be read.
        if isQuiet, let page = newRecords.take(), page.first.value == position.sequence.value + 1,
            page.last == head.sequence
        {
            new.entries = [LogEntry(head, .other)]
            return new
        }
        var isQuiet = isQuiet
        try await read(events, after: position, isQuiet: isQuiet) { entry, event in
            new.entries.append(entry)
            switch entry.content {
            case .change(let change):
                isQuiet = false
                new.changeCount += 1
                guard isHeard else { break }
                new.changes.append(
                    OutboxMutationEvent(change.reference, local: event?.record, sequence: entry.position.sequence))
            case .setAside:
                isQuiet = false
                new.concernsSetAside = true
            case .decided: new.concernsSetAside = true
            case .visible, .shadowed, .other: break
            }
            return isQuiet
        }
        return new
    }

    /// Passes the meaning of each event to `body`, which returns whether no change is pending or set aside then. While that is
    /// so, the server's records say nothing about other changes, and are left out except for the place of the last one.
    private func read(
        _ events: EventStream, after position: Position, isQuiet: Bool, _ body: (LogEntry, Event?) -> Bool
    ) async throws {
        var (isQuiet, place, lastEntry) = (isQuiet, position, position)
        for try await event in events {
            defer { place = event.position }
            if isQuiet, event.kind == .received || event.kind == .leftScope { continue }
            let entry = LogEntry(event, after: place, models: models)
            isQuiet = body(entry, event)
            lastEntry = entry.position
        }
        if place != lastEntry { _ = body(LogEntry(place, .other), nil) }
    }

    package func prepared(_ preparations: [Outbox.Preparation]) async throws -> [Outbox.PreparedRow] {
        let states = try store.serverStates(of: preparations.map { ($0.reference.model, $0.reference.id) })
        let events = try store.events(at: preparations.map(\.last), onlyIn: generation)
        return preparations.indices.map { index in
            Outbox.PreparedRow(slot: preparations[index].slot, state: states[index], row: events[index]?.record)
        }
    }

    /// The row after an event; `nil` if there was none, or if the event is not in the log.
    package func row(at sequence: SequenceNumber) async throws -> Record? {
        sequence > .zero ? try event(at: sequence)?.record : nil
    }

    package func time(of sequence: SequenceNumber) async throws -> Int64? {
        try event(at: sequence)?.microsecondsSince1970
    }

    /// The event with the number `sequence`; `nil` if it is not in the log.
    private func event(at sequence: SequenceNumber) throws -> Event? {
        try store.events(at: [sequence], onlyIn: generation)[0]
    }

    /// The server's latest record, if it came after the change was set aside and did not change the visible row.
    private func shadow(of change: SetAsideChange) async throws -> ServerRecord? {
        let (reference, name) = (change.reference, change.noteName)
        let sequences = try await store.read { snapshot in
            (
                server: try snapshot.serverStateSequence(of: reference.model, id: reference.id),
                change: try snapshot.noteSequence(name)
            )
        }
        guard let sequence = sequences.server, sequence > sequences.change ?? .zero,
            let event = try event(at: sequence),
            case .shadowed(let record) = LogEntry(event, after: .start, models: models).content
        else { return nil }
        return record
    }

    func state(of reference: RecordReference) async throws -> ServerState? {
        try await store.read { try $0.serverState(of: reference.model, id: reference.id) }
    }

    package func setAside() async throws -> [SetAsideChange] {
        try await store.read { snapshot in
            var changes: [SetAsideChange] = []
            try snapshot.forEachNote(prefix: NoteName.setAsidePrefix) { note in
                if let change = note.value.flatMap({ SetAsideChange(encoded: $0) }) { changes.append(change) }
                return true
            }
            return changes.sorted { $0.first < $1.first }
        }
    }

    /// The number of local changes that no server has accepted: pending and set-aside ones.
    func unsentCount() async throws -> Int {
        try await contents().pending.count + setAside().count
    }

    // MARK: Writing

    package func note(_ chosen: SyncProtocol) async throws {
        try await write { try $0.append(noted: NoteName.syncProtocol, value: chosen.encoded) }
    }

    package func advance(to position: Position) async throws {
        try await write { try $0.moveOutbox(to: position) }
    }

    @discardableResult
    func write<Value: Sendable>(_ body: @escaping @Sendable (StoreTransaction) throws -> Value) async throws -> Value {
        try await writeReturning(body).result
    }

    /// Does the same, and returns the commit too.
    func writeReturning<Value: Sendable>(
        _ body: @escaping @Sendable (StoreTransaction) throws -> Value
    ) async throws -> (result: Value, commit: Commit) {
        let identity = unnoted.value
        let noting: @Sendable (StoreTransaction) throws -> Value = { transaction in
            let value = try body(transaction)
            if let identity { try transaction.append(noted: NoteName.identity, value: identity.encoded) }
            return value
        }
        let written: (result: Value, commit: Commit)
        if let generation {
            written = try await store.writeReturning(onlyIn: generation, requireParents: false, noting)
        } else {
            written = try await store.writeReturning(requireParents: false, noting)
        }
        if identity != nil { unnoted.set(nil) }
        return written
    }
}

extension StoreTransaction {
    /// Throws if a record was changed after the last event that the machines have read. Returns the last event that changed its
    /// row; zero if there is none.
    @discardableResult
    func require(_ reference: RecordReference, notAfter place: Position) throws -> SequenceNumber {
        let latest = try latestSequence(of: reference.model, id: reference.id)
        guard latest <= place.sequence else { throw SyncStore.Overtaken() }
        return latest
    }

    /// Appends notes, in the order of their names; `nil` removes a note.
    func append(notes: [String: [UInt8]?]) throws {
        for (name, value) in notes.sorted(by: { $0.key < $1.key }) { try append(noted: name, value: value) }
    }

    /// Appends the events that the reconciler decided on.
    ///
    /// - Parameter answering: The mutation that the first of the events answers.
    func append(
        _ events: [Reconciler.Event], of reference: RecordReference, answering: Answering? = nil
    ) throws {
        var answering = answering
        for event in events {
            switch (event, answering) {
            case (.received(let row, let state, let isShadowed), _):
                try append(received: row, server: state, isShadowed: isShadowed, answering: answering)
            case (.receivedDeletion(let state, let isShadowed), _):
                try append(
                    receivedDeletionOf: reference.model, id: reference.id, server: state, isShadowed: isShadowed,
                    answering: answering)
            case (.acknowledged(let state), let answer?):
                try append(acknowledged: reference.model, id: reference.id, server: state, answering: answer)
            case (.acknowledged(let state), nil):
                // Only a response needs an acknowledgement. A push that changes no row repeats the row with its state.
                if let row = try record(reference.model, id: reference.id) {
                    try append(received: row, server: state)
                } else {
                    try append(receivedDeletionOf: reference.model, id: reference.id, server: state)
                }
            case (.leftScope, _): try append(leftScope: reference.model, id: reference.id)
            }
            answering = nil
        }
    }

    /// Makes the server's record visible if it is in the scope. Otherwise the record leaves the scope.
    func show(_ record: ServerRecord, isInScope: (Record) -> Bool) throws {
        var event = Reconciler.Event.leftScope
        if record.row.map(isInScope) ?? true {
            event =
                record.row.map { .received($0, record.state(), isShadowed: false) }
                ?? .receivedDeletion(record.state(), isShadowed: false)
        }
        try append([event], of: record.reference)
    }

    /// The store's data of a record whose visible row is the row of `record` as it arrived; `nil` if it is another one or
    /// must be decoded.
    func standing(
        repeating record: ServerRecord, _ pending: PendingChanges, answering: SequenceNumber
    ) throws -> Reconciler.Standing? {
        let reference = record.reference
        guard let arrived = record.encodedRow as? EncodedPage.Row, !record.mayLackValues, isCurrent(arrived.layout),
            !pending.holdsRow(of: reference, after: answering), pending.shadow(of: reference) == nil
        else { return nil }
        let isRepeated = try withRow(of: reference.id, in: arrived.layout) { stored in
            guard let stored else { return false }
            return try arrived.withView { ByteComparison.order($0.bytes, stored.bytes) == 0 }
        }
        guard isRepeated else { return nil }
        var standing = Reconciler.Standing(
            known: try serverState(of: reference.model, id: reference.id), row: nil, holdsRow: false, serverRow: nil)
        standing.repeatsRow = true
        return standing
    }

    /// The store's data of a record.
    ///
    /// - Parameter base: The row that the oldest pending change started from, if it is known.
    func standing(
        of reference: RecordReference, _ pending: PendingChanges, answering: SequenceNumber? = nil, base: Record? = nil
    ) throws -> Reconciler.Standing {
        let row = try record(reference.model, id: reference.id)
        let shadow = pending.shadow(of: reference)
        var serverRow = row
        if pending.holdsRow(of: reference) {
            serverRow = (shadow ?? pending.held(reference)?.server).map(\.row) ?? base
        }
        return Reconciler.Standing(
            known: try serverState(of: reference.model, id: reference.id), row: row,
            holdsRow: answering.map { pending.holdsRow(of: reference, after: $0) } ?? pending.holdsRow(of: reference),
            shadow: shadow, serverRow: serverRow)
    }
}

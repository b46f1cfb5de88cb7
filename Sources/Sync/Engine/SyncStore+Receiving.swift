@_spi(Adapters) internal import TidelogCore

/// Writes pushes and pages, and removes records.
extension SyncStore {
    /// How many records are removed in one write.
    private static let sweepCount = 1_000

    package func receive(
        pushed records: [ServerRecord], _ pending: PendingChanges
    ) async throws -> SyncMachine.Reception {
        try await receive(records, from: .push, notes: [:], pending)
    }

    package func receive(_ page: Inbox.PageAppend, _ pending: PendingChanges) async throws -> SyncMachine.Reception {
        if !page.stamps.isEmpty { return try await compare(page.stamps) }
        let source = page.baseStartedAt.map { Reconciler.Source.baseQuery(startedAt: $0) } ?? .query
        return try await receive(
            page.records, from: source, notes: page.notes, notesIfUnstorable: page.notesIfUnstorable, pending,
            areDistinct: page.areDistinct)
    }

    package func receive(
        _ answers: [Inbox.RecordAnswer], _ pending: PendingChanges
    ) async throws -> SyncMachine.Reception {
        let found = answers.compactMap(\.record)
        let missing = try await missing(answers.filter { $0.record == nil }.map(\.query), pending)
        var reception = SyncMachine.Reception()
        if !found.isEmpty {
            let confirmed = Set(answers.filter(\.isConfirmed).map(\.query.reference))
            reception = try await receive(found, from: .records(confirmed: confirmed), notes: [:], pending)
        }
        if !missing.isEmpty { try await remove(missing, notes: [:], pending) }
        reception.counts.deleted += missing.count { !pending.holdsRow(of: $0) }
        return reception
    }

    /// Compares the stamps of a digest with the store's.
    private func compare(_ stamps: [RecordHint]) async throws -> SyncMachine.Reception {
        try await store.read { snapshot in
            var reception = SyncMachine.Reception()
            reception.differing = try stamps.filter { stamp in
                let known = try snapshot.serverState(of: stamp.reference.model, id: stamp.reference.id)
                return known?.isDeleted ?? true || stamp.version > 0 && known?.version != stamp.version
            }
            return reception
        }
    }

    /// The records that the store has from the server, and of which the store has received nothing since the requests for them.
    private func missing(_ queries: [Inbox.RecordQuery], _ pending: PendingChanges) async throws -> [RecordReference] {
        guard !queries.isEmpty else { return [] }
        return try await store.read { snapshot in
            try queries.filter { query in
                let (model, id) = (query.reference.model, query.reference.id)
                guard let state = try snapshot.serverState(of: model, id: id), !state.isDeleted,
                    let sequence = try snapshot.serverStateSequence(of: model, id: id)
                else { return false }
                return sequence <= query.head
            }.map(\.reference)
        }
    }

    /// The records to append, without records of unknown models and with one version of each. The hints name the records that
    /// have several states without an order.
    private func chosen(among records: [ServerRecord]) -> (records: [ServerRecord], hints: [RecordHint]) {
        var latest: [RecordReference: Int] = [:]
        var ambiguous: [RecordReference] = []
        // If there are several versions of a record, the highest one is used. Without versions, the server must be asked.
        for (index, record) in records.enumerated() where models[record.reference.model] != nil {
            if let other = latest[record.reference] {
                if !hasVersions, records[other].version != record.version { ambiguous.append(record.reference) }
                if records[other].version >= record.version { continue }
            }
            latest[record.reference] = index
        }
        return (
            latest.values.sorted().map { records[$0] },
            ambiguous.map { RecordHint($0, version: 0, isBlind: true) }
        )
    }

    /// - Parameter areDistinct: Whether the records are known to be different records of a model that the store has.
    private func receive(
        _ records: [ServerRecord], from source: Reconciler.Source, notes: [String: [UInt8]?],
        notesIfUnstorable: [String: [UInt8]?] = [:], _ pending: PendingChanges, areDistinct: Bool = false
    ) async throws -> SyncMachine.Reception {
        let (chosen, hints) = areDistinct ? (records, []) : chosen(among: records)
        let pending = pending.excerpt(of: chosen.map(\.reference))
        let bases = try await bases(of: source == .push ? chosen.filter(\.mayLackValues) : chosen, pending)
        let (written, commit) = try await writeReturning {
            [reconciler, models, isInScope, hasVersions, hasScope = expression != nil] transaction in
            var reception = SyncMachine.Reception()
            reception.hints = hints
            var areNew = true
            // All reads happen before the first append, because a read after an append would first project the events.
            var results: [Received] = []
            for record in chosen {
                do {
                    let lastChange = try transaction.require(record.reference, notAfter: pending.head)
                    if !hasScope, lastChange == .zero, let row = try transaction.unknown(record, pending) {
                        results.append(.unknown(record, row))
                        continue
                    }
                    var standing = try transaction.standing(
                        of: record.reference, pending, base: bases[record.reference])
                    standing.model = models[record.reference.model]
                    let result = reconciler.reconcile(
                        record, from: source, standing, isInScope: isInScope)
                    if result.serverWentBack { reception.modelsBehind.insert(record.reference.model) }
                    if result.isInDoubt {
                        reception.hints.append(
                            hasVersions
                                ? RecordHint(record.reference, version: record.version)
                                : RecordHint(about: record, standing.known))
                    }
                    areNew = false
                    if !result.events.isEmpty {
                        results.append(.known(result.record, result.events, row: standing.row))
                    }
                } catch let error as DataStoreError where error.code == .invalidValue {
                    reception.note(record, error)
                }
            }
            for result in results {
                do {
                    switch result {
                    case .unknown(let record, let row):
                        try row.withView {
                            try transaction.append(received: $0, of: row.layout, server: record.state())
                        }
                        reception.counts.added += 1
                    case .known(let record, let events, let row):
                        try transaction.append(events, of: record.reference)
                        reception.count(events, row)
                    }
                    reception.recordCount += 1
                    if !source.isBase { reception.records.append(result.record) }
                } catch let error as DataStoreError where error.code == .invalidValue {
                    reception.note(result.record, error)
                }
            }
            try transaction.append(notes: reception.unstorable.isEmpty ? notes : notesIfUnstorable)
            return (reception: reception, areNew: areNew)
        }
        if written.areNew, generation != nil { newRecords.set(commit) }
        return written.reception
    }

    /// The rows from which the oldest pending changes of records started, if such a row is the server's latest known row.
    private func bases(
        of records: [ServerRecord], _ pending: PendingChanges
    ) async throws -> [RecordReference: Record] {
        var bases: [RecordReference: Record] = [:]
        for reference in records.map(\.reference)
        where pending.shadow(of: reference) == nil && pending.held(reference) == nil {
            guard let oldest = pending.changes(of: reference).first else { continue }
            bases[reference] = try await row(at: oldest.previous)
        }
        return bases
    }

    /// Removes the records that a base query did not see. The query's notes are written together with the last removals.
    ///
    /// A row with local changes stays. Its record is noted as missing on the server, so that the row disappears if the changes
    /// are discarded.
    @discardableResult
    package func sweep(_ sweep: Inbox.Sweep, _ pending: PendingChanges) async throws -> SyncMachine.Sweeping {
        guard models[sweep.model] != nil else { return SyncMachine.Sweeping() }
        var (unseen, result) = ([RecordReference](), SyncMachine.Sweeping())
        if let seen = sweep.seen {
            (unseen, result.inDoubt, result.knownCount) = try await self.unseen(sweep, seen)
        }
        result.count = unseen.count { !pending.holdsRow(of: $0) }
        let notes = result.inDoubt.isEmpty ? sweep.notes : [:]
        while unseen.count > Self.sweepCount {
            try await remove(Array(unseen.prefix(Self.sweepCount)), notes: [:], pending)
            unseen.removeFirst(Self.sweepCount)
        }
        if !unseen.isEmpty || !notes.isEmpty { try await remove(unseen, notes: notes, pending) }
        return result
    }

    /// The records that a base query did not see, although the server had them before the query. `missing` has the records
    /// that the server does not have any more, and `inDoubt` has the records that the query may have overlooked. `count` is the
    /// number of the server's records that the store knows.
    private func unseen(
        _ sweep: Inbox.Sweep, _ seen: Set<UInt64>
    ) async throws -> (missing: [RecordReference], inDoubt: [RecordReference], count: Int) {
        let (unseen, count) = try await store.read { snapshot in
            var (unseen, count) = ([(id: RecordID, entry: ServerState.Entry)](), 0)
            try snapshot.forEachServerState(of: sweep.model) { id, entry in
                guard !entry.state.isDeleted else { return }
                count += 1
                // The query has seen nearly every record.
                guard !seen.contains(RecordReference.stableHash(sweep.model, id)),
                    entry.state.lastChangedAt < sweep.startedAt
                else { return }
                unseen.append((id, entry))
            }
            return (unseen, count)
        }
        var (missing, inDoubt) = ([RecordReference](), [RecordReference]())
        let events = try store.events(at: unseen.map(\.entry.sequence), onlyIn: generation)
        for ((id, entry), event) in zip(unseen, events) {
            // The key of a time has only its instant. The event has the id as the server wrote it.
            let reference = RecordReference(model: sweep.model, id: event?.recordID ?? id)
            guard !seen.contains(reference.stableHash) else { continue }
            if entry.state.lastChangedAt < sweep.certainBefore && entry.sequence <= sweep.receivedThrough {
                missing.append(reference)
            } else {
                inDoubt.append(reference)
            }
        }
        return (missing, inDoubt, count)
    }

    private func remove(
        _ references: [RecordReference], notes: [String: [UInt8]?], _ pending: PendingChanges
    ) async throws {
        let held = Set(references.filter { pending.holdsRow(of: $0) })
        let head = pending.head
        try await write { [hasVersions] transaction in
            for reference in references {
                try transaction.require(reference, notAfter: head)
                let isHeld = held.contains(reference)
                guard isHeld || !hasVersions else {
                    try transaction.append(leftScope: reference.model, id: reference.id)
                    continue
                }
                // Without versions, a list may still show the record for a while, so that the deletion is remembered.
                let known = try transaction.serverState(of: reference.model, id: reference.id)
                let missing = Self.missing(reference, known)
                try transaction.append(
                    receivedDeletionOf: reference.model, id: reference.id,
                    server: missing.state(base: isHeld ? known?.baseVersion ?? missing.version : nil),
                    isShadowed: isHeld)
            }
            try transaction.append(notes: notes)
        }
    }
}

/// A received record that leads to events.
private enum Received {
    /// The store does not have the record. Its row is appended as it arrived.
    case unknown(ServerRecord, EncodedPage.Row)
    /// The reconciler decided on events. The visible row was `row` before.
    case known(ServerRecord, [Reconciler.Event], row: Record?)

    var record: ServerRecord {
        switch self {
        case .unknown(let record, _), .known(let record, _, _): record
        }
    }
}

extension StoreTransaction {
    /// The row of a record that the store does not have in any state; `nil` if it has one, or if the row cannot be appended as
    /// it arrived. Such a row becomes visible, as the reconciler decides for whole records without a standing.
    fileprivate func unknown(_ record: ServerRecord, _ pending: PendingChanges) throws -> EncodedPage.Row? {
        let reference = record.reference
        guard let row = record.encodedRow as? EncodedPage.Row, !record.mayLackValues, !pending.holdsRow(of: reference),
            isCurrent(row.layout), try serverState(of: reference.model, id: reference.id) == nil
        else { return nil }
        return row
    }
}

extension Reconciler.Source {
    fileprivate var isBase: Bool { if case .baseQuery = self { true } else { false } }
}

extension SyncMachine.Reception {
    /// Notes that the store cannot hold a record, for example because its key is too long.
    fileprivate mutating func note(_ record: ServerRecord, _ error: DataStoreError) {
        let size = record.reference.id.components.reduce(0) { $0 + $1.keyByteCount }
        let reason = "The store cannot hold a record whose id has \(size) bytes: \(error.message)"
        unstorable.append((record.reference.model, reason))
    }

    /// Counts the effect of `events` on the visible row, which was `row` before.
    fileprivate mutating func count(_ events: [Reconciler.Event], _ row: Record?) {
        for event in events {
            switch event {
            case .received(_, _, isShadowed: false):
                if row == nil { counts.added += 1 } else { counts.updated += 1 }
            case .receivedDeletion(_, isShadowed: false), .leftScope: if row != nil { counts.deleted += 1 }
            case .received, .receivedDeletion, .acknowledged: break
            }
        }
    }
}

extension FieldValue {
    /// The number of bytes of the value as a text in a key. Numbers and times have eight.
    fileprivate var keyByteCount: Int { if case .string(let text) = self { text.utf8.count } else { 8 } }
}

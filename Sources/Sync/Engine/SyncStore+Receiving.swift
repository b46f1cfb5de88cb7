@_spi(Adapters) internal import TidelogCore

/// Writes pushes and pages, and removes records.
extension SyncStore {
    /// How many records are removed in one write.
    private static let sweepCount = 1_000

    /// The result of appending records.
    package struct Reception: Sendable {
        /// How many of the records were new or newer than in the store.
        package var recordCount = 0
        /// The models of which the server now has an older state than before.
        package var modelsBehind: Set<String> = []
        /// The records that were new or newer than in the store. Records of a base query are not included.
        package var records: [ServerRecord] = []
        /// The records that the store cannot hold: the model, and the reason as a sentence.
        package var unstorable: [(model: String, reason: String)] = []
        /// The counts of changes to visible rows.
        var counts = ChangeCounts()

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

    /// Appends records that the server pushed, in one write.
    package func receive(pushed records: [ServerRecord], _ pending: PendingChanges) async throws -> Reception {
        try await receive(records, from: .push, notes: [:], pending)
    }

    /// Appends a page and its notes, in one write.
    package func receive(_ page: PageAppend, _ pending: PendingChanges) async throws -> Reception {
        let source = page.baseStartedAt.map { Reconciler.Source.baseQuery(startedAt: $0) } ?? .push
        return try await receive(
            page.records, from: source, notes: page.notes, notesIfUnstorable: page.notesIfUnstorable, pending)
    }

    private func receive(
        _ records: [ServerRecord], from source: Reconciler.Source, notes: [String: [UInt8]?],
        notesIfUnstorable: [String: [UInt8]?] = [:], _ pending: PendingChanges
    ) async throws -> Reception {
        var latest: [RecordReference: Int] = [:]
        // If a page has several versions of a record, the highest one is used.
        for (index, record) in records.enumerated() where models[record.reference.model] != nil {
            if let other = latest[record.reference], records[other].version >= record.version { continue }
            latest[record.reference] = index
        }
        let chosen = latest.values.sorted().map { records[$0] }
        let pending = pending.excerpt(of: chosen.map(\.reference))
        let bases = source == .push ? [:] : try await bases(of: chosen, pending)
        return try await write { [reconciler, isInScope] transaction in
            var reception = Reception()
            // All reads happen before the first append, because a read after an append would first project the events.
            var results: [(ServerRecord, [Reconciler.Event], row: Record?)] = []
            for record in chosen {
                do {
                    try transaction.require(record.reference, notAfter: pending.head)
                    let standing = try transaction.standing(
                        of: record.reference, pending, base: bases[record.reference])
                    let result = reconciler.reconcile(
                        record, from: source, standing, isInScope: isInScope)
                    if result.serverWentBack { reception.modelsBehind.insert(record.reference.model) }
                    if !result.events.isEmpty { results.append((record, result.events, standing.row)) }
                } catch let error as DataStoreError where error.code == .invalidValue {
                    reception.note(record, error)
                }
            }
            for (record, events, row) in results {
                do {
                    try transaction.append(events, of: record.reference)
                    reception.recordCount += 1
                    reception.count(events, row)
                    if source == .push { reception.records.append(record) }
                } catch let error as DataStoreError where error.code == .invalidValue {
                    reception.note(record, error)
                }
            }
            try transaction.append(notes: reception.unstorable.isEmpty ? notes : notesIfUnstorable)
            return reception
        }
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
    ///
    /// - Returns: How many rows were removed.
    @discardableResult
    package func sweep(_ sweep: Sweep, _ pending: PendingChanges) async throws -> Int {
        guard models[sweep.model] != nil else { return 0 }
        var unseen: [RecordReference] = []
        if let seen = sweep.seen { unseen = try await self.unseen(sweep, seen, pending) }
        let count = unseen.count { !pending.holdsRow(of: $0) }
        while unseen.count > Self.sweepCount {
            try await remove(Array(unseen.prefix(Self.sweepCount)), notes: [:], pending)
            unseen.removeFirst(Self.sweepCount)
        }
        try await remove(unseen, notes: sweep.notes, pending)
        return count
    }

    /// The records that a base query did not see, although the server had them when it changed them last.
    private func unseen(
        _ sweep: Sweep, _ seen: Set<UInt64>, _ pending: PendingChanges
    ) async throws -> [RecordReference] {
        let held = pending.references.filter { $0.model == sweep.model }
        return try await store.read { snapshot in
            /// The server's state of the record if it is older than the query, and if no page had the record.
            func unseenState(_ reference: RecordReference) throws -> ServerState? {
                guard !seen.contains(reference.stableHash) else { return nil }
                let state = try snapshot.serverState(of: reference.model, id: reference.id)
                return state.flatMap { $0.lastChangedAt < sweep.startedAt ? $0 : nil }
            }
            // A deletion that is pending or set aside has no row.
            var unseen = try held.filter { try unseenState($0).map { !$0.isDeleted } ?? false }
            try snapshot.forEachRow(sweep.model) { row, layout in
                let reference = RecordReference(model: sweep.model, id: try layout.recordID(of: row.row))
                if !pending.holdsRow(of: reference), try unseenState(reference) != nil { unseen.append(reference) }
                return true
            }
            return unseen
        }
    }

    private func remove(
        _ references: [RecordReference], notes: [String: [UInt8]?], _ pending: PendingChanges
    ) async throws {
        let held = Set(references.filter { pending.holdsRow(of: $0) })
        let head = pending.head
        try await write { transaction in
            for reference in references {
                try transaction.require(reference, notAfter: head)
                guard held.contains(reference) else {
                    try transaction.append(leftScope: reference.model, id: reference.id)
                    continue
                }
                let known = try transaction.serverState(of: reference.model, id: reference.id)
                let missing = Self.missing(reference, known)
                try transaction.append(
                    receivedDeletionOf: reference.model, id: reference.id,
                    server: missing.state(base: known?.baseVersion ?? missing.version), isShadowed: true)
            }
            try transaction.append(notes: notes)
        }
    }
}

extension FieldValue {
    /// The number of bytes of the value as a text in a key. Numbers and times have eight.
    fileprivate var keyByteCount: Int { if case .string(let text) = self { text.utf8.count } else { 8 } }
}

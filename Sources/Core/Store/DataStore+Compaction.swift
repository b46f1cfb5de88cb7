internal import TidelogLMDB

/// Which events a compaction may drop.
public enum Retention: String, Sendable, Hashable, CaseIterable {
    /// None: the log keeps its whole history.
    case all
    /// Those that a later one has superseded, and that nobody waits for any more.
    case latest
}

/// What a compaction did.
public struct CompactionReport: Sendable, Hashable {
    /// How many events were dropped.
    public internal(set) var droppedCount = 0
    /// At or below this event numbers may have holes.
    public internal(set) var floor = SequenceNumber.zero
    /// The consumers that were too far behind to be waited for: their next use throws `lagged`.
    public internal(set) var lapsedConsumers: [String] = []
    /// The bytes that the log's files took before.
    public internal(set) var byteCountBefore = 0
    /// The bytes that the log's files take now; without shrinking, room inside the file is used again first.
    public internal(set) var byteCountAfter = 0
}

extension DataStore {
    /// Drops events that nobody needs any more. Records, and what is yet to be uploaded, stay as they are.
    ///
    /// Kept are: each record's latest event; for records with changes that the server has not confirmed, all of these and
    /// the last confirmed event before them; tombstones that are younger than `tombstoneAge` or not uploaded; every
    /// schema; and everything above the floor, which is where the slowest consumer is. Writes go on meanwhile; killed at
    /// any moment, the store is whole, and the next compaction goes on.
    ///
    /// The log decides what a record's latest event is. If the rows say otherwise, they are damaged: the compaction
    /// stops with `damaged` before it drops anything because of them, and the rows are recreated from the log.
    ///
    /// - Parameters:
    ///   - tombstoneAge: How long the deletion of a record is remembered at least, so that late news of the record are
    ///     known to be old.
    ///   - maximumConsumerLag: A consumer more events than this behind the head is not waited for; `nil` waits for all.
    ///     The outbox is always waited for.
    ///   - shrink: Whether to copy what is left into a smaller file afterwards. Writes wait for that copy, which needs
    ///     room beside the old file.
    ///   - progress: Told after each slice how far the compaction has come.
    /// - Throws: ``DataStoreError``: `readOnly`, `closed`, `storeCleared`, `poisoned`, `logDamaged`, `damaged` if the
    ///   rows were wrong, `projectionUnavailable`, `storageFull`; `CancellationError` between two slices.
    @discardableResult
    public func compact(
        retain: Retention = .latest, tombstoneAge: Duration = .seconds(30 * 86_400),
        maximumConsumerLag: UInt64? = nil, shrink: Bool = false,
        progress: (@Sendable (RebuildProgress) -> Void)? = nil
    ) async throws -> CompactionReport {
        let generation = try current()
        let writer = try writer(of: generation)
        var report = CompactionReport()
        report.byteCountBefore = FileSystem.byteCount(generation.log.files.directory)
        if retain == .latest {
            let dropped = try await Self.dropSuperseded(
                generation, writer, tombstoneAge: tombstoneAge, maximumConsumerLag: maximumConsumerLag,
                progress: progress)
            (report.droppedCount, report.lapsedConsumers) = (dropped.count, dropped.lapsedConsumers)
        } else {
            try await Self.forgetDropped(writer)
        }
        if shrink { try await self.shrink(generation, writer) }
        report.floor = generation.log.metadata.floor.sequence
        report.byteCountAfter = FileSystem.byteCount(generation.log.files.directory)
        return report
    }

    /// Drops, in slices between the groups of writes, what the policy of a compaction does not keep.
    static func dropSuperseded(
        _ generation: Generation, _ writer: Writer, tombstoneAge: Duration, maximumConsumerLag: UInt64?,
        progress: (@Sendable (RebuildProgress) -> Void)?
    ) async throws -> (count: Int, lapsedConsumers: [String]) {
        try await requireAgreement(generation, writer)
        let raised = try await writer.exclusively { try $0.raiseFloor(maximumLag: maximumConsumerLag) }
        let age = tombstoneAge / .microseconds(1)
        let deadline = WallClock.microsecondsSince1970() - Int64(Swift.min(Swift.max(age, 0), 9e15))
        let compaction = try await Blocking.run {
            try generation.log.withSlices {
                try LogCompaction($0, floor: raised.floor, tombstoneDeadline: deadline)
            }
        }
        var count = 0
        var limit = LogCompaction.sliceDropCount
        for phase in LogCompaction.Phase.allCases {
            var leavesTombstones = false
            var next: SequenceNumber? = .zero
            while let place = next {
                try Task.checkCancellation()
                let slice: LogCompaction.Slice
                do {
                    slice = try await writer.exclusively { [limit] in
                        try $0.compact(compaction, phase, after: place, limit: limit)
                    }
                } catch let error as DataStoreError where error.code == .storageFull && limit > 1 {
                    // Dropping takes pages before it gives some back: a full disk is left in small steps.
                    limit = Swift.max(1, limit / 8)
                    continue
                }
                limit = Swift.min(limit * 2, LogCompaction.sliceDropCount)
                count += slice.droppedCount
                leavesTombstones = leavesTombstones || slice.leavesTombstones
                next = slice.last
                guard phase == .superseded, let last = next else { continue }
                progress?(RebuildProgress(sequence: last, head: raised.floor.sequence))
            }
            if !leavesTombstones { break }
        }
        try await forgetDropped(writer)
        return (count, raised.lapsed)
    }

    /// Throws if rows say otherwise than the log where any record stands, and has them recreated.
    private static func requireAgreement(_ generation: Generation, _ writer: Writer) async throws {
        do {
            try await Blocking.run {
                try generation.rows.matching { reader, rows in
                    try StandingVerification.run(reader, rows, generation.layout)
                }
            }
        } catch {
            guard let damage = DataStoreError(rowsFailedWith: error) else { throw error }
            try await writer.exclusively { section in
                try section.requireWritable()
                section.rows.recreate(after: damage)
            }
            throw damage
        }
    }

    /// Removes tombstones, server states and removed notes from the rows if their events are gone.
    private static func forgetDropped(_ writer: Writer) async throws {
        for table in BuiltInTables.all {
            var next: [UInt8]? = []
            while let key = next {
                next = try await writer.exclusively { try $0.forgetDropped(in: table, after: key) }
            }
        }
    }

    /// Copies the log into a file without free pages and goes on with that.
    private func shrink(_ generation: Generation, _ writer: Writer) async throws {
        let directory = directory
        let mapSize = configuration.logMapSize
        try await writer.exclusively { section in
            try section.maintain { _ in
                let log = section.log
                let number = try directory.logNumber(generation.number)
                let target = directory.log(generation.number, number + 1)
                let unfinished = target + StoreDirectory.unfinished
                try FileSystem.removeTree(unfinished)
                try FileSystem.createDirectory(unfinished)
                do throws(AppendFailure) { try log.absorb() } catch { throw error.cause }
                try log.copy(to: unfinished)
                try FileSystem.rename(unfinished, to: target)
                do {
                    log.replaceFiles(
                        with: try EventLog.openFiles(
                            target, mapSize: mapSize, isReadOnly: false, isTemporary: log.isTemporary, create: nil))
                } catch {
                    try FileSystem.rename(target, to: unfinished)
                    throw error
                }
                try FileSystem.removeTree(directory.log(generation.number, number))
            }
        }
    }
}

extension SerialSection {
    /// Raises the floor as far as consumers let it.
    func raiseFloor(maximumLag: UInt64?) throws -> (floor: Position, lapsed: [String]) {
        try maintain { _ in
            let head = log.head
            var lapsed: [String] = []
            let current = log.metadata.floor
            let next = try log.withReader { reader in
                var target = head.sequence
                for consumer in try reader.consumers() where consumer.name != ConsumerName.outbox {
                    // At the start a consumer reads what is kept, and is as far as the floor.
                    let isNew = consumer.position == .start
                    let place = isNew ? current.sequence : consumer.position.sequence
                    if place < current.sequence || maximumLag.map({ head.sequence.value - place.value > $0 }) == true {
                        lapsed.append(consumer.name)
                    } else {
                        target = min(target, place)
                    }
                }
                return try reader.commitEnd(atMost: target)
            }
            guard let next, next.sequence > current.sequence else { return (current, lapsed) }
            try change { _, metadata in metadata.floor = next }
            return (next, lapsed)
        }
    }

    /// Drops a slice of the events after `sequence`. If the rows are damaged, nothing of it is dropped, and they are
    /// recreated.
    func compact(
        _ compaction: LogCompaction, _ phase: LogCompaction.Phase, after sequence: SequenceNumber, limit: Int
    ) throws -> LogCompaction.Slice {
        do {
            return try maintain { adapter in
                let snapshot = try adapter.snapshot()
                defer { snapshot.end() }
                let keyspace = log.keyspaces.events
                return try change { transaction, metadata in
                    let slice = try compaction.drop(
                        phase, after: sequence, limit: limit, in: transaction, keyspace, rows: snapshot,
                        layout: rows.layout)
                    metadata.droppedCount += UInt64(slice.droppedCount)
                    return slice
                }
            }
        } catch {
            guard let damage = DataStoreError(rowsFailedWith: error) else { throw error }
            rows.recreate(after: damage)
            throw damage
        }
    }

    private func change<Result>(_ body: (WriteTransaction, inout LogMetadata) throws -> Result) throws -> Result {
        do throws(AppendFailure) { return try log.update(body) } catch {
            if case .outcomeUnknown(let cause) = error { poison(cause) }
            throw error.cause
        }
    }

    /// How many entries of an auxiliary table one slice looks at.
    private static let sweepEntryCount = 4_000

    /// Removes the entries after `key` of a built-in table whose events are gone; returns where to go on.
    func forgetDropped(in table: AuxiliaryTable, after key: [UInt8]) throws -> [UInt8]? {
        try maintain { adapter in
            var last: [UInt8]?
            var gone: [[UInt8]] = []
            let snapshot = try adapter.snapshot()
            defer { snapshot.end() }
            try log.withReader { reader in
                var seenCount = 0
                try snapshot.auxiliaryEntries(after: key.isEmpty ? nil : key, in: table) { key, value in
                    seenCount += 1
                    if let sequence = BuiltInTables.sequence(of: value, in: table),
                        sequence <= log.metadata.floor.sequence,
                        try reader.event(at: sequence) == nil
                    {
                        gone.append(Array(key))
                    }
                    guard seenCount == Self.sweepEntryCount else { return true }
                    last = Array(key)
                    return false
                }
            }
            guard !gone.isEmpty else { return last }
            let transaction = try adapter.begin()
            do {
                for key in gone { try key.withUnsafeBytes { try transaction.deleteAuxiliary($0, in: table) } }
                try transaction.commit(checkpoint: rows.checkpoint(at: log.head))
            } catch {
                transaction.rollback()
                throw error
            }
            return last
        }
    }
}

extension LogReader {
    /// The last end of a commit at or before `sequence` above the floor, `nil` if there is none.
    func commitEnd(atMost sequence: SequenceNumber) throws -> Position? {
        guard let event = try event(at: sequence) else { return nil }
        if event.isLastInCommit { return Position(sequence: event.sequence, chain: event.chain) }
        guard event.commitFirst.value > 1 else { return nil }
        let end = SequenceNumber(event.commitFirst.value - 1)
        return try self.event(at: end).map { Position(sequence: end, chain: $0.chain) }
    }
}

extension DataStoreError {
    /// What a compaction says if `error` means that the rows are damaged; `nil` if it means anything else.
    fileprivate init?(rowsFailedWith error: any Error) {
        let recovery = "The rows are recreated from the log, which decides: compact again."
        switch error {
        case let error as RowsDisagreement:
            self.init(
                .damaged,
                "The rows and the log disagree about the \(error.model == nil ? "note" : "record") of event \(error.sequence).",
                model: error.model, recovery: recovery)
        case let error as DataStoreError where error.code == .damaged:
            self.init(.damaged, "The rows are damaged.", underlying: error, recovery: recovery)
        case is RowDamage: self.init(.damaged, "The rows are damaged.", underlying: error, recovery: recovery)
        default: return nil
        }
    }
}

extension BuiltInTables {
    /// The event that an entry comes from, `nil` if the entry is damaged.
    static func sequence(of value: UnsafeRawBufferPointer, in table: AuxiliaryTable) -> SequenceNumber? {
        if table == serverStates { return ServerStateEntry(encoded: value)?.sequence }
        if table == notes { return NoteEntry(encoded: value)?.sequence }
        guard value.count == 8, let base = value.baseAddress else { return nil }
        return SequenceNumber(UnsafeRawPointer(base).load(0, as: UInt64.self))
    }
}

internal import TidelogLMDB

extension DataStore {
    /// Compacts the log: drops events that are no longer needed. Records do not change, and changes that are not
    /// uploaded yet are kept.
    ///
    /// The compaction keeps these events:
    /// - the latest event of each record;
    /// - for a record with changes that the server has not confirmed: all of these changes, and the last confirmed
    ///   event before them;
    /// - tombstones that are younger than `tombstoneAge` or are not uploaded;
    /// - all schemas;
    /// - all events above the floor, which is the position of the slowest consumer.
    ///
    /// Writes continue during the compaction. If the process is killed, the store stays whole, and the next compaction
    /// continues.
    ///
    /// The log decides which event of a record is the latest one. If the rows disagree with the log, they are damaged.
    /// The compaction then stops with `damaged` before it drops anything because of such rows, and the rows are
    /// recreated from the log.
    ///
    /// - Parameters:
    ///   - retain: The events that the compaction keeps.
    ///   - tombstoneAge: The least time for which the deletion of a record is remembered, so that a late message about
    ///     the record is recognised as old.
    ///   - maximumConsumerLag: The compaction does not wait for a consumer that lags by more events than this. With `nil` it
    ///     waits for all consumers. It always waits for the outbox.
    ///   - shrink: Whether the remaining events are then copied to a smaller file. Writes wait for this copy. The copy
    ///     needs disk space in addition to the old file.
    ///   - progress: Called after each slice with the progress of the compaction.
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
            report.droppedCount = dropped.count
            report.lapsedConsumers = dropped.lapsedConsumers
        } else {
            try await Self.forgetDropped(writer)
        }
        if shrink { try await self.shrink(generation, writer) }
        report.floor = generation.log.metadata.floor.sequence
        report.byteCountAfter = FileSystem.byteCount(generation.log.files.directory)
        return report
    }

    /// Drops superseded events in slices between the groups of writes.
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
                    // Dropping events needs new pages before it frees old ones. On a full disk, small steps therefore
                    // succeed more easily.
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

    /// Compares the latest events of the records with their rows. If they disagree, this method makes the rows be
    /// recreated, and throws an error.
    private static func requireAgreement(_ generation: Generation, _ writer: Writer) async throws {
        do {
            try await Blocking.run {
                try generation.rows.matching { reader, rows in
                    try RecordStanding.Verification.run(reader, rows, generation.layout)
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

    /// Removes tombstones, server states and removed notes from the rows if the log no longer has their events.
    private static func forgetDropped(_ writer: Writer) async throws {
        for table in AuxiliaryTable.builtIn {
            var next: [UInt8]? = []
            while let key = next {
                next = try await writer.exclusively { try $0.forgetDropped(in: table, after: key) }
            }
        }
    }

    /// Copies the log to a file without free pages, and switches to this file.
    private func shrink(_ generation: Generation, _ writer: Writer) async throws {
        let directory = directory
        try await writer.exclusively { section in
            try section.maintain {
                let number = try directory.logNumber(generation.number)
                let target = directory.log(generation.number, number + 1)
                let unfinished = target + StoreDirectory.unfinished
                try FileSystem.removeTree(unfinished)
                try FileSystem.createDirectory(unfinished)
                try AppendFailure.throwingCause { try section.logWriter.absorb() }
                try LogWriter.copy(section.log, to: unfinished)
                try FileSystem.rename(unfinished, to: target)
                do { try section.logWriter.move(to: target) } catch {
                    try FileSystem.rename(target, to: unfinished)
                    throw error
                }
                try FileSystem.removeTree(directory.log(generation.number, number))
            }
        }
    }
}

extension SerialSection {
    /// Raises the floor as far as the consumers permit.
    func raiseFloor(maximumLag: UInt64?) throws -> (floor: Position, lapsed: [String]) {
        try maintain {
            let head = log.head
            var lapsed: [String] = []
            let current = log.metadata.floor
            let next = try log.withReader { reader in
                var target = head.sequence
                for consumer in try reader.consumers() where consumer.name != ConsumerName.outbox {
                    // A consumer at the start reads all events that are kept. For the compaction it counts as being at
                    // the floor.
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
            precondition(next.sequence <= head.sequence, "the floor is the end of a commit in the log")
            try change { _, metadata in metadata.floor = next }
            return (next, lapsed)
        }
    }

    /// Drops a slice of the events after `sequence`. If the rows are damaged, this method drops nothing of the slice
    /// and makes the rows be recreated.
    func compact(
        _ compaction: LogCompaction, _ phase: LogCompaction.Phase, after sequence: SequenceNumber, limit: Int
    ) throws -> LogCompaction.Slice {
        do {
            return try maintain {
                let snapshot = try rows.snapshot()
                defer { snapshot.end() }
                let keyspace = log.keyspaces.events
                return try change { transaction, metadata in
                    let slice = try compaction.drop(
                        phase, after: sequence, limit: limit, in: transaction, keyspace, rows: snapshot.reader,
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
        do throws(AppendFailure) { return try logWriter.update(body) } catch {
            if case .outcomeUnknown(let cause) = error { poison(cause) }
            throw error.cause
        }
    }

    /// The number of entries of an auxiliary table in one slice.
    private static let sweepEntryCount = 4_000

    /// Removes entries of a built-in table if the log no longer has their events. The slice begins after `key`. Returns
    /// the key after which the next slice begins, or `nil` at the end.
    func forgetDropped(in table: AuxiliaryTable, after key: [UInt8]) throws -> [UInt8]? {
        try maintain {
            var last: [UInt8]?
            var gone: [[UInt8]] = []
            let snapshot = try rows.snapshot()
            defer { snapshot.end() }
            try log.withReader { reader in
                var seenCount = 0
                try snapshot.reader.auxiliaryEntries(after: key.isEmpty ? nil : key, in: table) { key, value in
                    seenCount += 1
                    if let sequence = AuxiliaryTable.sequence(of: value, in: table),
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
            if !gone.isEmpty { try rows.remove(gone, from: table) }
            return last
        }
    }
}

extension LogReader {
    /// The last end of a commit that is above the floor and not after `sequence`, `nil` if there is none.
    func commitEnd(atMost sequence: SequenceNumber) throws -> Position? {
        guard let event = try event(at: sequence) else { return nil }
        if event.isLastInCommit { return Position(sequence: event.sequence, chain: event.chain) }
        guard event.commitFirst.value > 1 else { return nil }
        let end = SequenceNumber(event.commitFirst.value - 1)
        return try self.event(at: end).map { Position(sequence: end, chain: $0.chain) }
    }
}

extension DataStoreError {
    /// The error of a compaction if `error` means that the rows are damaged, otherwise `nil`.
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

extension AuxiliaryTable {
    /// The event that an entry was made from, `nil` if the entry is damaged.
    package static func sequence(of value: UnsafeRawBufferPointer, in table: AuxiliaryTable) -> SequenceNumber? {
        if table == serverStates { return ServerState.Entry(encoded: value)?.sequence }
        if table == notes { return SyncNote.Entry(encoded: value)?.sequence }
        guard value.count == 8, let base = value.baseAddress else { return nil }
        return SequenceNumber(UnsafeRawPointer(base).load(0, as: UInt64.self))
    }
}

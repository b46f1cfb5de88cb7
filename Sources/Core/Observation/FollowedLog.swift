/// The log of one generation as those see it who follow it: observers, consumers, live queries.
///
/// It keeps the generation's parts alive, but not the store: a store that is let go of ends its followers.
struct FollowedLog: Sendable {
    let generation: Generation
    let directory: StoreDirectory

    /// How often a store that another process writes is looked at: no notice of a change crosses processes.
    static let pollInterval = Duration.milliseconds(20)

    /// Whether another process may be writing the log.
    var isForeign: Bool { generation.writer == nil }

    /// The last event that followers are shown: in the process that writes, the last one whose rows are there too.
    func head() throws -> SequenceNumber {
        guard isForeign else { return generation.feed.head }
        return try read { reader in try reader.head()?.sequence ?? reader.metadata().floor.sequence }
    }

    /// What compaction has done to the log so far.
    func compaction() throws -> CompactionMark { try read { CompactionMark(try $0.metadata()) } }

    /// Waits until there are events after `sequence`; returns the head then.
    ///
    /// - Throws: ``DataStoreError``: `closed`, `storeCleared`; `CancellationError`.
    func waitForEvents(after sequence: SequenceNumber) async throws -> SequenceNumber {
        guard isForeign else {
            // After the last number there is nothing ever comes.
            let (next, isBeyond) = sequence.value.addingReportingOverflow(1)
            try await generation.feed.wait(for: SequenceNumber(isBeyond ? .max : next))
            return generation.feed.head
        }
        while true {
            let head = try head()
            if head > sequence { return head }
            try await poll()
        }
    }

    /// Waits one interval.
    func poll() async throws {
        if isForeign, !FileSystem.exists(directory.generation(generation.number)) { throw DataStoreError.cleared }
        try await Task.sleep(for: Self.pollInterval)
        if let reason = generation.feed.endReason { throw reason }
    }

    /// Waits one interval for rows that are behind the log.
    ///
    /// - Throws: as ``poll()``; ``DataStoreError`` with code `projectionUnavailable` where waiting is of no use.
    func pollRows() async throws {
        guard !isForeign || generation.rows.isPersistent else {
            throw DataStoreError(
                .projectionUnavailable, "The rows are in memory and do not follow the process that writes.",
                recovery: "Ask the process that writes, or keep the rows in an adapter with files.")
        }
        try await poll()
    }

    /// Calls `body` with a consistent view of the log, open only meanwhile.
    func read<Result>(_ body: (LogReader) throws -> Result) throws -> Result {
        try generation.feed.reading { try generation.log.withReader(body) }
    }

    /// Calls `body` with a consistent view of the rows and the last event in them, open only meanwhile.
    func readRows<Result>(_ body: (any StorageSnapshot, SequenceNumber) throws -> Result) throws -> Result {
        try generation.feed.reading {
            let lease = try generation.projectedRows()
            let snapshot = try lease.files.adapter.snapshot()
            defer { withExtendedLifetime(lease) { snapshot.end() } }
            return try body(snapshot, snapshot.checkpoint()?.sequence ?? .zero)
        }
    }

    /// Calls `body` with a view of the rows and a look at the log that belong together, open only meanwhile: the log has every
    /// event that the rows name.
    func readMatching<Result>(_ body: (any StorageSnapshot, LogSlices) throws -> Result) throws -> Result {
        try generation.feed.reading {
            let lease = try generation.projectedRows()
            return try withExtendedLifetime(lease) {
                try DataStore.withMatchingViews(generation, lease.files.adapter) { try body($1, $0) }
            }
        }
    }

    /// The event that `view` shows, with a copy of its bytes.
    func event(_ view: EventView) throws -> Event {
        if view.modelNumber != 0, !generation.schemas.knows(version: view.schemaVersion) {
            // The writer is another process and has changed the schema.
            for schema in try generation.log.schemas() where !generation.schemas.knows(version: schema.version) {
                generation.schemas.add(SchemaLayout(schema))
            }
        }
        return try Event(view, schemas: generation.schemas)
    }

    /// Checks that `position` lies on this log.
    ///
    /// - Throws: ``DataStoreError``: `invalidPosition`; `lagged` where its event was dropped.
    func check(_ position: Position) throws { try read { try $0.check(position) } }
}

/// How far compaction has come: while it is the same, nothing was dropped.
struct CompactionMark: Sendable, Equatable {
    /// At or below this event numbers may have holes.
    let floor: SequenceNumber
    private let droppedCount: UInt64

    init(_ metadata: LogMetadata) {
        floor = metadata.floor.sequence
        droppedCount = metadata.droppedCount
    }
}

extension LogReader {
    /// Checks that `position` lies on this log.
    ///
    /// - Throws: ``DataStoreError``: `invalidPosition` where it does not; `lagged` where it lies below the floor, so that
    ///   events after it may have been dropped.
    func check(_ position: Position) throws {
        guard position != .start else { return }
        let floor = try metadata().floor
        guard position.sequence >= floor.sequence else {
            throw DataStoreError.lagged(after: position.sequence, floor: floor.sequence)
        }
        let chain = position.sequence == floor.sequence ? floor.chain : try event(at: position.sequence)?.chain
        guard chain == position.chain else {
            throw DataStoreError(
                .invalidPosition, "The position at event \(position.sequence) does not lie on this log.",
                recovery: "Use positions of this store only, as its events and consumers give them.")
        }
    }
}

extension DataStoreError {
    /// The reader who stood after event `sequence` was overtaken by compaction.
    static func lagged(after sequence: SequenceNumber, floor: SequenceNumber) -> DataStoreError {
        var error = DataStoreError(
            .lagged,
            "Compaction has overtaken this reader: of the events after \(sequence) up to \(floor), some are gone.",
            recovery: "Read the records as they are now, or begin anew: what was kept of the log gives the same rows.")
        error.missed = SequenceNumber(sequence.value + 1)...floor
        return error
    }
}

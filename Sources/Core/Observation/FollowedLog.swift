/// What observers, consumers and live queries see of a store: its log, and the rows for what the log cannot tell.
///
/// It keeps these alive, but not the store: a store that is let go of ends its followers.
struct FollowedLog: Sendable {
    let log: EventLog
    let rows: ProjectedRows
    let schemas: SchemaHistory
    let feed: ChangeFeed
    /// How values read from here find their store again.
    let store: StoreHandle
    /// The directory of the generation. It is gone once another process has cleared the store.
    let directory: String
    /// Whether another process may be writing the log.
    let isForeign: Bool

    /// The layouts of all models.
    var layout: SchemaLayout { rows.layout }

    /// How often a store that another process writes is looked at: no notice of a change crosses processes.
    static let pollInterval = Duration.milliseconds(20)

    /// The last event that followers are shown: in the process that writes, the last one that was published.
    func head() throws -> SequenceNumber {
        guard isForeign else { return feed.head }
        return try read { reader in try reader.head()?.sequence ?? reader.metadata().floor.sequence }
    }

    /// What compaction has done to the log so far.
    func compaction() throws -> CompactionMark { try read { CompactionMark(try $0.metadata()) } }

    /// Waits until there are events after `sequence`; returns the head then.
    ///
    /// - Throws: ``DataStoreError``: `closed`, `storeCleared`; `CancellationError`.
    func waitForEvents(after sequence: SequenceNumber) async throws -> SequenceNumber {
        guard isForeign else {
            try await feed.wait(for: Self.number(after: sequence))
            return feed.head
        }
        while true {
            let head = try head()
            if head > sequence { return head }
            try await poll()
        }
    }

    /// The last event that followers are shown, and whether all of `models` are in step with a server: never in a process
    /// that only reads, since the state is in the memory of the process that writes.
    func news(of models: Set<UInt32>) throws -> (head: SequenceNumber, isSynced: Bool) {
        isForeign ? (try head(), false) : feed.news(of: models)
    }

    /// Waits until there are events after `sequence`, or the models' state differs from `synced`; returns the head and the
    /// state then.
    ///
    /// - Throws: as ``waitForEvents(after:)``.
    func waitForNews(
        after sequence: SequenceNumber, while synced: SyncedState
    ) async throws -> (head: SequenceNumber, isSynced: Bool) {
        guard !isForeign else { return (try await waitForEvents(after: sequence), false) }
        try await feed.wait(for: Self.number(after: sequence), while: synced)
        return feed.news(of: synced.models)
    }

    /// The number after `sequence`; of the last number, after which no event can follow, that number itself.
    private static func number(after sequence: SequenceNumber) -> SequenceNumber {
        let (next, isBeyond) = sequence.value.addingReportingOverflow(1)
        return SequenceNumber(isBeyond ? .max : next)
    }

    /// Waits one interval.
    func poll() async throws {
        if isForeign, !FileSystem.exists(directory) { throw DataStoreError.cleared }
        try await Task.sleep(for: Self.pollInterval)
        if let reason = feed.endReason { throw reason }
    }

    /// Waits one interval for rows that are behind the log.
    ///
    /// - Throws: as ``poll()``; ``DataStoreError`` with code `projectionUnavailable` if waiting is of no use.
    func pollRows() async throws {
        guard !isForeign || rows.isPersistent else {
            throw DataStoreError(
                .projectionUnavailable, "The rows are in memory, so they do not show what another process writes.",
                recovery: "Query in the process that writes, or use an adapter that keeps its rows in files.")
        }
        try await poll()
    }

    /// Calls `body` with a consistent view of the log, open only meanwhile.
    func read<Result>(_ body: (LogReader) throws -> Result) throws -> Result {
        try feed.reading { try log.withReader(body) }
    }

    /// Calls `body` with a consistent view of the rows and the last event in them, open only meanwhile.
    func readRows<Result>(_ body: (any AdapterSnapshot, SequenceNumber) throws -> Result) throws -> Result {
        try feed.reading {
            let snapshot = try rows.snapshot()
            defer { snapshot.end() }
            return try body(snapshot.reader, snapshot.reader.checkpoint()?.sequence ?? .zero)
        }
    }

    /// Calls `body` with a view of the rows and a look at the log that belong together, open only meanwhile: the log has every
    /// event that the rows name.
    func readMatching<Result>(_ body: (any AdapterSnapshot, LogSlices) throws -> Result) throws -> Result {
        try feed.reading {
            try rows.matching { try body($1, $0) }
        }
    }

    /// The event that `view` shows, with a copy of its bytes.
    ///
    /// - Parameter find: The event of the log with a number, `nil` if there is none; called once `view` is copied.
    func event(_ view: EventView, find: (SequenceNumber) throws -> EventView?) throws -> Event {
        try learnSchema(of: view)
        let leavesRow = view.row != nil
        var event = try Event(view, schemas: schemas)
        if !leavesRow, let model = event.layout, model.hasTemporalKey {
            event.formerID = try formerID(under: event.key, of: model, before: event.previous, find: find)
        }
        return event
    }

    /// Adds the schema that `view` follows, if the writer is another process and has changed the schema.
    private func learnSchema(of view: EventView) throws {
        guard view.modelNumber != 0, !schemas.knows(version: view.schemaVersion) else { return }
        for schema in try log.schemas() where !schemas.knows(version: schema.version) {
            schemas.add(SchemaLayout(schema))
        }
    }

    /// The id of the record of `model` under `key` as its last row has it, up to the event `last` of the record; `nil` if the
    /// log has no such row any more.
    ///
    /// A key has the instants of temporals, and a row has their texts too.
    func formerID(
        under key: [UInt8], of model: ModelLayout, before last: SequenceNumber,
        find: (SequenceNumber) throws -> EventView?
    ) throws -> RecordID? {
        var next = last
        while next != .zero, let view = try find(next) {
            guard view.previous < next else { throw DataStoreError.damagedLog("has a link forwards at event \(next)") }
            guard view.modelNumber == model.number, key.withUnsafeBytes({ ByteComparison.order($0, view.key) == 0 })
            else { return nil }
            if let row = view.row {
                try learnSchema(of: view)
                let layout = try schemas.layout(version: view.schemaVersion, model: view.modelNumber)
                return try layout.recordID(of: RowView(row))
            }
            next = view.previous
        }
        return nil
    }

    /// Checks that `position` lies on this log.
    ///
    /// - Throws: ``DataStoreError``: `invalidPosition`; `lagged` if its event was dropped.
    func check(_ position: Position) throws { try read { try $0.check(position) } }
}

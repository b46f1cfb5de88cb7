/// The parts of a store that observers, consumers and live queries use: its log, and the rows for facts that the log does not
/// have.
///
/// This value keeps the log and the rows alive, but not the store. When the store is released, its observers end. When the
/// store is suspended, they wait in ``resumed()`` and continue with the value that it returns.
struct FollowedLog: Sendable {
    let log: EventLog
    let rows: ProjectedRows
    let schemas: SchemaHistory
    let feed: ChangeFeed
    /// The handle through which values that were read here find their store later.
    let store: StoreHandle
    /// The directory of the generation. It no longer exists after another process has cleared the store.
    let directory: String
    /// Whether another process may be writing the log.
    let isForeign: Bool
    private let state: StoreState
    private let storeDirectory: StoreDirectory

    /// The log and the rows of a generation of the store in `storeDirectory`.
    init(_ generation: Generation, _ state: StoreState, in storeDirectory: StoreDirectory) {
        log = generation.log
        rows = generation.rows
        schemas = generation.schemas
        feed = generation.feed
        store = generation.store
        directory = storeDirectory.generation(generation.number)
        isForeign = generation.writer == nil
        self.state = state
        self.storeDirectory = storeDirectory
    }

    /// The same log as the store has it open now, and its writer if this process has it.
    ///
    /// - Throws: ``DataStoreError``: `closed`, `suspended`; `storeCleared` if the store has another log now.
    func present() throws -> (log: FollowedLog, writer: Writer?) { try with(state.generation()) }

    /// The same log after a suspended store was resumed. Waits for that.
    ///
    /// - Throws: ``DataStoreError``: `closed`; `storeCleared` if the store was cleared in the meantime; `CancellationError`.
    func resumed() async throws -> FollowedLog { try await with(state.resumed()).log }

    private func with(_ generation: Generation) throws -> (log: FollowedLog, writer: Writer?) {
        guard generation.log.metadata.store == log.metadata.store else { throw DataStoreError.cleared }
        return (FollowedLog(generation, state, in: storeDirectory), generation.writer)
    }

    /// The layouts of all models.
    var layout: SchemaLayout { rows.layout }

    /// How often to check a store that another process writes. Processes do not notify each other of changes.
    static let pollInterval = Duration.milliseconds(20)

    /// The number of events that a live query reads before other tasks can run.
    static let chunkEventCount = 1_024

    /// The last event that observers may see. In the writing process, it is the last published event.
    func head() throws -> SequenceNumber {
        guard isForeign else { return feed.published }
        return try read { reader in try reader.head()?.sequence ?? reader.metadata().floor.sequence }
    }

    /// The state of compaction of the log.
    func compaction() throws -> LogMetadata.CompactionMark {
        try read { LogMetadata.CompactionMark(try $0.metadata()) }
    }

    /// Waits until there are events after `sequence`, and returns the head at that time.
    ///
    /// - Throws: ``DataStoreError``: `closed`, `storeCleared`; `CancellationError`.
    func waitForEvents(after sequence: SequenceNumber) async throws -> SequenceNumber {
        guard isForeign else {
            try await feed.wait(for: Self.number(after: sequence))
            return feed.published
        }
        while true {
            let head = try head()
            if head > sequence { return head }
            try await poll()
        }
    }

    /// The last event that observers may see, and whether all of `models` are in sync with a server.
    ///
    /// In a process that only reads, `isSynced` is always false, because the state is in the memory of the writing process.
    func news(of models: Set<UInt32>) throws -> (head: SequenceNumber, isSynced: Bool) {
        guard !isForeign else { return (try head(), false) }
        let news = feed.news(of: models)
        return (news.published, news.isSynced)
    }

    /// Waits until there are events after `sequence` or the models' state differs from `synced`. Returns the head and the state
    /// at that time.
    ///
    /// - Throws: the same errors as ``waitForEvents(after:)``.
    func waitForNews(
        after sequence: SequenceNumber, while synced: ChangeFeed.SyncedState
    ) async throws -> (head: SequenceNumber, isSynced: Bool) {
        guard !isForeign else {
            let head = try await waitForEvents(after: sequence)
            return (head, false)
        }
        try await feed.wait(for: Self.number(after: sequence), while: synced)
        return try news(of: synced.models)
    }

    /// The number after `sequence`, or `sequence` itself if it is the largest number, because no event can follow it.
    private static func number(after sequence: SequenceNumber) -> SequenceNumber {
        let (next, isBeyond) = sequence.value.addingReportingOverflow(1)
        return SequenceNumber(isBeyond ? .max : next)
    }

    /// Waits one interval.
    func poll() async throws {
        if isForeign, try !FileSystem.exists(directory) { throw DataStoreError.cleared }
        try await Task.sleep(for: Self.pollInterval)
        if let reason = feed.endReason { throw reason }
    }

    /// Waits one interval for rows that lack events of the log.
    ///
    /// - Throws: the same errors as ``poll()``, and ``DataStoreError`` with code `projectionUnavailable` if the rows can never
    ///   get these events.
    func pollRows() async throws {
        guard !isForeign || rows.isPersistent else {
            throw DataStoreError(
                .projectionUnavailable, "The rows are in memory, so they do not show what another process writes.",
                recovery: "Query in the process that writes, or use an adapter that keeps its rows in files.")
        }
        try await poll()
    }

    /// Calls `body` with a consistent view of the log. The view is open only during the call.
    func read<Result>(_ body: (LogReader) throws -> Result) throws -> Result {
        try feed.reading { try log.withReader(body) }
    }

    /// Calls `body` with a consistent view of the rows and with their last event. The view is open only during the call.
    func readRows<Result>(_ body: (any AdapterSnapshot, SequenceNumber) throws -> Result) throws -> Result {
        try feed.reading {
            let snapshot = try rows.snapshot()
            defer { snapshot.end() }
            return try body(snapshot.reader, snapshot.reader.checkpoint()?.sequence ?? .zero)
        }
    }

    /// Calls `body` with matching views of the rows and the log: the log has every event that the rows name.
    ///
    /// The views are open only during the call.
    func readMatching<Result>(_ body: (any AdapterSnapshot, LogSlices) throws -> Result) throws -> Result {
        try feed.reading {
            try rows.matching { try body($1, $0) }
        }
    }

    /// The event in `view`, with a copy of its bytes.
    ///
    /// - Parameter find: Returns the log's event with a number, or `nil` if there is none. It is called after `view` was
    ///   copied.
    func event(_ view: EventView, find: (SequenceNumber) throws -> EventView?) throws -> Event {
        try learnSchema(of: view)
        let leavesRow = view.row != nil
        var event = try Event(view, schemas: schemas)
        if !leavesRow, let model = event.layout, model.hasTemporalKey {
            event.formerID = try formerID(under: event.key, of: model, before: event.previous, find: find)
        }
        return event
    }

    /// Adds the schema of `view`, if the writer is another process and has changed the schema.
    private func learnSchema(of view: EventView) throws {
        guard view.modelNumber != 0, !schemas.knows(version: view.schemaVersion) else { return }
        for schema in try log.schemas() where !schemas.knows(version: schema.version) {
            schemas.add(SchemaLayout(schema))
        }
    }

    /// The id of a removed record, as it was in its last row. Returns `nil` if the log no longer has such a row.
    ///
    /// The record has `key` and belongs to `model`, and the search begins at its event `last`. Keys contain only the instants
    /// of temporals. The id needs their texts, which only rows contain.
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

    /// Checks that `position` is on this log.
    ///
    /// - Throws: ``DataStoreError``: `invalidPosition`; `lagged` if its event was dropped.
    func check(_ position: Position) throws { try read { try $0.check(position) } }
}

/// Keeps one live query's page in step with the log.
struct LiveQueryReader<Value: Sendable> {
    private let source: LiveSource<Value>
    private let query: StorageQuery
    private var page: LivePage<Value>
    private var cursor: EventCursor
    /// The states of the records in the last result.
    private var fingerprints: [Int]?
    /// Whether the model is in step with a server. The page has every event that was published before this state was read.
    private var isSynced: Bool
    /// The state that the last result had.
    private var toldSynced = false

    private var models: Set<UInt32> { [query.model.number] }

    /// Asks the query once; its result is the first.
    init(_ source: LiveSource<Value>, _ query: StorageQuery) throws {
        self.source = source
        self.query = query
        // Read before the rows, which then hold everything that the state speaks of.
        isSynced = try source.log.news(of: [query.model.number]).isSynced
        (page, cursor) = try Self.load(source, query)
    }

    private static func load(
        _ source: LiveSource<Value>, _ query: StorageQuery
    ) throws -> (LivePage<Value>, EventCursor) {
        var page = LivePage(query, decode: source.decode)
        let sequence = try source.log.readRows { rows, checkpoint in
            try page.extend(from: rows)
            return checkpoint
        }
        return (page, EventCursor(source.log, everythingAfter: sequence))
    }

    /// The next result that differs from the one before; waits for it. The first comes at once.
    mutating func next() async throws -> LiveResult<Value> {
        while true {
            if let result = changedResult() { return result }
            let news = try await source.log.waitForNews(
                after: cursor.sequence, while: SyncedState(models: models, isSynced: isSynced))
            do {
                try await advance(to: news.head)
            } catch let error as DataStoreError where error.code == .lagged {
                try reload(after: error)
            }
            isSynced = news.isSynced
        }
    }

    private mutating func changedResult() -> LiveResult<Value>? {
        guard page.isTouched || fingerprints == nil || isSynced != toldSynced else { return nil }
        let (items, fingerprints) = page.takeItems()
        guard fingerprints != self.fingerprints || isSynced != toldSynced else { return nil }
        self.fingerprints = fingerprints
        toldSynced = isSynced
        return LiveResult(items: items, sequence: cursor.sequence, isSynced: isSynced)
    }

    /// Applies every event up to `head`, and makes up for lost members.
    private mutating func advance(to head: SequenceNumber) async throws {
        while cursor.sequence < head {
            try Task.checkCancellation()
            try applyChunk(through: head)
            if cursor.sequence < head { await Task.yield() }
        }
        while page.isShort, try !refill() { try await source.log.pollRows() }
    }

    private mutating func applyChunk(through end: SequenceNumber) throws {
        var eventCount = 0
        let model = query.model.number
        try cursor.read(through: end) { event, _ in
            eventCount += 1
            if event.changesRow, event.modelNumber == model {
                try page.apply(event.key, event.row.map { bytes throws(RowDamage) in try RowView(bytes) })
            }
            return eventCount < LiveSource<Value>.chunkEventCount
        }
    }

    /// Reads the members that are missing; returns false if the rows are behind the log for a while.
    private mutating func refill() throws -> Bool {
        let log = source.log
        do {
            return try log.readRows { rows, checkpoint in
                guard checkpoint >= cursor.sequence else { return false }
                while cursor.sequence < checkpoint { try applyChunk(through: checkpoint) }
                if page.isShort { try page.extend(from: rows) }
                return true
            }
        } catch let error as DataStoreError where error.code == .projectionUnavailable {
            return false
        }
    }

    /// Asks the query again: events that would tell what changed are gone.
    private mutating func reload(after error: DataStoreError) throws {
        let (page, cursor) = try Self.load(source, query)
        guard cursor.sequence > self.cursor.sequence else { throw error }
        self.page = page
        self.cursor = cursor
    }
}

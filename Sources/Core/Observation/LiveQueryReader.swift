/// Keeps the page of one live query up to date with the log.
struct LiveQueryReader<Value: Fetchable> {
    private let log: FollowedLog
    private let query: StorageQuery
    private var page: LivePage<Value>
    private var cursor: EventCursor
    /// The states of the records in the last result.
    private var fingerprints: [Int]?
    /// Whether the model is in sync with a server. The page has every event that was published before this state was read.
    private var isSynced: Bool
    /// The state in the last result.
    private var toldSynced = false

    private var models: Set<UInt32> { [query.model.number] }

    /// Runs the query once for the first result.
    init(_ query: StorageQuery, _ log: FollowedLog) throws {
        self.log = log
        self.query = query
        // The state is read before the rows, so that the rows contain all events to which the state refers.
        isSynced = try log.news(of: [query.model.number]).isSynced
        (page, cursor) = try Self.load(query, log)
    }

    /// Notes what `earlier`, the reader before a suspension of the store, has delivered, so that it is not delivered again.
    mutating func `continue`(_ earlier: LiveQueryReader) {
        fingerprints = earlier.fingerprints
        toldSynced = earlier.toldSynced
    }

    private static func load(_ query: StorageQuery, _ log: FollowedLog) throws -> (LivePage<Value>, EventCursor) {
        var page = LivePage(query) { try Value.decoded($0, $1, store: log.store) }
        let sequence = try log.readRows { rows, checkpoint in
            try page.extend(from: rows)
            return checkpoint
        }
        return (page, EventCursor(log, everythingAfter: sequence))
    }

    /// The next result that differs from the last. Waits for it. The first result is returned at once.
    mutating func next() async throws -> LiveResult<Value> {
        while true {
            if let result = changedResult() { return result }
            let news = try await log.waitForNews(
                after: cursor.sequence, while: ChangeFeed.SyncedState(models: models, isSynced: isSynced))
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
        return LiveResult(
            items: items, sequence: cursor.sequence, isSynced: isSynced, fingerprint: fingerprints.hashValue)
    }

    /// Applies every event up to `head`, and replaces members that the page has lost.
    private mutating func advance(to head: SequenceNumber) async throws {
        while cursor.sequence < head {
            try Task.checkCancellation()
            try applyChunk(through: head)
            if cursor.sequence < head { await Task.yield() }
        }
        while page.isShort, try !refill() { try await log.pollRows() }
    }

    private mutating func applyChunk(through end: SequenceNumber) throws {
        var eventCount = 0
        let model = query.model.number
        try cursor.read(through: end) { event, _ in
            eventCount += 1
            if event.changesRow, event.modelNumber == model {
                try page.apply(event.key, event.row.map { bytes throws(RowDamage) in try RowView(bytes) })
            }
            return eventCount < FollowedLog.chunkEventCount
        }
    }

    /// Reads the members that the page lacks. Returns false if the rows do not contain all applied events yet.
    private mutating func refill() throws -> Bool {
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

    /// Runs the query again because the events with the changes were dropped.
    private mutating func reload(after error: DataStoreError) throws {
        let (page, cursor) = try Self.load(query, log)
        guard cursor.sequence > self.cursor.sequence else { throw error }
        self.page = page
        self.cursor = cursor
    }
}

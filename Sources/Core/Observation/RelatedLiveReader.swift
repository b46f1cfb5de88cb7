/// Keeps the result of a live query up to date if the query follows or includes relations, or if its page begins after a
/// record.
///
/// An event does not show how a change of a related record affects the result. Therefore the query runs again after each change
/// of a model in the query. Commits that happen while it runs count as one change.
struct RelatedLiveReader<Value: Fetchable> {
    private let query: Query<Value>
    private let log: FollowedLog
    /// The models whose changes may change the result. The result is in sync with a server if all of them are.
    private let models: Set<UInt32>
    private var cursor: EventCursor
    private var items: [Value] = []
    /// The state of the present result, and of the last result that was delivered.
    private var fingerprint = 0
    private var told: Int?
    /// Whether all of the models are in sync with a server. The items have every event that was published before this was read.
    private var isSynced: Bool
    /// The state in the last result.
    private var toldSynced = false

    /// Runs the query once for the first result.
    init(_ query: Query<Value>, _ model: ModelLayout, _ log: FollowedLog) throws {
        self.query = query
        self.log = log
        let names = query.predicate.relationNames(of: model).union(query.inclusions.map(\.name))
        var models = try query.originModels(log.layout).union([model.number])
        for name in names {
            let relation = try log.layout.relations.required(name, of: model)
            models.insert(relation.target.number)
            if case .join(let join, _, _) = relation.path { models.insert(join.number) }
        }
        self.models = models
        cursor = EventCursor(log, everythingAfter: .zero)
        // The state is read before the rows, so that the rows contain all events to which the state refers.
        isSynced = try log.news(of: models).isSynced
        _ = try load()
    }

    /// Notes what `earlier`, the reader before a suspension of the store, has delivered, so that it is not delivered again.
    mutating func `continue`(_ earlier: RelatedLiveReader) {
        told = earlier.told
        toldSynced = earlier.toldSynced
    }

    /// Runs the query. Returns false if the rows do not contain all events that this reader has seen.
    private mutating func load() throws -> Bool {
        let (log, query, seen) = (log, query, cursor.sequence)
        let found = try log.readRows { rows, checkpoint -> (loaded: EagerLoading<Value>, sequence: SequenceNumber)? in
            guard checkpoint >= seen else { return nil }
            let reader = RelatedReader(rows: rows, layout: log.layout, store: log.store)
            return (try EagerLoading.load(query, in: reader, isCompared: true), checkpoint)
        }
        guard let found else { return false }
        items = found.loaded.values
        fingerprint = found.loaded.fingerprint
        cursor = EventCursor(log, everythingAfter: found.sequence)
        return true
    }

    /// The next result that differs from the last. Waits for it. The first result is returned at once.
    mutating func next() async throws -> LiveResult<Value> {
        while told == fingerprint, toldSynced == isSynced {
            let news = try await log.waitForNews(
                after: cursor.sequence, while: ChangeFeed.SyncedState(models: models, isSynced: isSynced))
            isSynced = news.isSynced
            let head = news.head
            guard try await isTouched(through: head) else { continue }
            let before = cursor.sequence
            // If compaction has overtaken the cursor, only rows with a later event show that the query has run on new data.
            while try !reload() || cursor.sequence < head && cursor.sequence == before {
                try await log.pollRows()
            }
        }
        told = fingerprint
        toldSynced = isSynced
        return LiveResult(items: items, sequence: cursor.sequence, isSynced: isSynced, fingerprint: fingerprint)
    }

    /// Whether an event up to `head` may have changed the result.
    private mutating func isTouched(through head: SequenceNumber) async throws -> Bool {
        let models = models
        var isTouched = false
        do {
            while cursor.sequence < head, !isTouched {
                try Task.checkCancellation()
                var eventCount = 0
                try cursor.read(through: head) { event, _ in
                    eventCount += 1
                    isTouched = event.changesRow && models.contains(event.modelNumber)
                    return !isTouched && eventCount < FollowedLog.chunkEventCount
                }
                if cursor.sequence < head { await Task.yield() }
            }
        } catch let error as DataStoreError where error.code == .lagged {
            return true
        }
        return isTouched
    }

    private mutating func reload() throws -> Bool {
        do {
            return try load()
        } catch let error as DataStoreError where error.code == .projectionUnavailable {
            return false
        }
    }
}

extension Query {
    /// The models of the origin whose changes may change the result: the model that joins the records with their owner.
    fileprivate func originModels(_ layout: SchemaLayout) throws -> Set<UInt32> {
        guard let origin else { return [] }
        let owner = try layout.required(origin.owner.modelName)
        guard case .join(let join, _, _) = try layout.relations.required(origin.relation, of: owner).path else {
            return []
        }
        return [join.number]
    }
}

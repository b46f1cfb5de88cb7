/// Keeps the result of a live query up to date if the query follows or includes relations, or if its page begins after a
/// record.
///
/// An event does not show how a change of a related record affects the result. Therefore the query runs again after each change
/// of a model in the query. Commits that happen while it runs count as one change.
struct RelatedLiveReader<Value: Sendable> {
    private let source: LiveQuery<Value>.Source
    /// The models whose changes may change the result. The result is in sync with a server if all of them are.
    private let models: Set<UInt32>
    private var cursor: EventCursor
    private var items: [Value] = []
    /// The states of the records in the present result, and in the last result that was delivered.
    private var fingerprints: [Int] = []
    private var told: [Int]?
    /// Whether all of the models are in sync with a server. The items have every event that was published before this was read.
    private var isSynced: Bool
    /// The state in the last result.
    private var toldSynced = false

    /// Runs the query once for the first result.
    init(_ source: LiveQuery<Value>.Source) throws {
        self.source = source
        let relations = source.log.layout.relations
        let names = source.predicate.relationNames(of: source.model).union(source.including?.relations ?? [])
        models = try names.reduce(into: [source.model.number]) {
            models, name in
            let relation = try relations.required(name, of: source.model)
            models.insert(relation.target.number)
            if case .join(let join, _, _) = relation.path { models.insert(join.number) }
        }
        cursor = EventCursor(source.log, everythingAfter: .zero)
        // The state is read before the rows, so that the rows contain all events to which the state refers.
        isSynced = try source.log.news(of: models).isSynced
        _ = try load()
    }

    /// Runs the query. Returns false if the rows do not contain all events that this reader has seen.
    private mutating func load() throws -> Bool {
        let (source, seen) = (source, cursor.sequence)
        let found = try source.log.readRows {
            rows, checkpoint -> (items: [Value], prints: [Int], sequence: SequenceNumber)? in
            guard checkpoint >= seen else { return nil }
            var (items, prints): ([Value], [Int]) = ([], [])
            let reader = RelatedReader(rows: rows, layout: source.log.layout, store: source.log.store)
            let query = try RecordQuery(
                source.model, where: source.predicate, sort: source.sort, page: source.page, in: reader)
            if let including = source.including {
                let found = try including.read(query, reader)
                return (found.items, [found.fingerprint], checkpoint)
            }
            try query.fetch { row in
                var hasher = Hasher()
                hasher.combine(bytes: row.row.bytes)
                prints.append(hasher.finalize())
                items.append(try source.decode(row.row, source.model))
                return true
            }
            return (items, prints, checkpoint)
        }
        guard let found else { return false }
        items = found.items
        fingerprints = found.prints
        cursor = EventCursor(source.log, everythingAfter: found.sequence)
        return true
    }

    /// The next result that differs from the last. Waits for it. The first result is returned at once.
    mutating func next() async throws -> LiveResult<Value> {
        while told == fingerprints, toldSynced == isSynced {
            let news = try await source.log.waitForNews(
                after: cursor.sequence, while: ChangeFeed.SyncedState(models: models, isSynced: isSynced))
            isSynced = news.isSynced
            let head = news.head
            guard try await isTouched(through: head) else { continue }
            let before = cursor.sequence
            // If compaction has overtaken the cursor, only rows with a later event show that the query has run on new data.
            while try !reload() || cursor.sequence < head && cursor.sequence == before {
                try await source.log.pollRows()
            }
        }
        told = fingerprints
        toldSynced = isSynced
        return LiveResult(items: items, sequence: cursor.sequence, isSynced: isSynced)
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
                    return !isTouched && eventCount < LiveQuery<Value>.Source.chunkEventCount
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

/// A query's results, now and after every change: what `observeQuery` returns.
///
/// Each iteration works on its own, and only when it is asked for the next result; nothing runs in between. While the
/// receiver is busy commits coalesce, and the last is always delivered. A cancelled task's iteration ends without an error.
public struct LiveQuery<Value: Sendable>: AsyncSequence, Sendable {
    /// A result.
    public typealias Element = LiveResult<Value>

    private let source: Result<LiveSource<Value>, any Error>

    init(_ source: () throws -> LiveSource<Value>) { self.source = Result(catching: source) }

    /// Begins to observe.
    public func makeAsyncIterator() -> Iterator { Iterator(source) }

    /// Reads the results one after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private var source: Result<LiveSource<Value>, any Error>?
        private var reader: LiveQueryReader<Value>?
        private var relatedReader: RelatedLiveReader<Value>?

        init(_ source: Result<LiveSource<Value>, any Error>) { self.source = source }

        /// The first result at once; then the next that differs from the one before. `nil` once the task is cancelled.
        ///
        /// - Throws: ``DataStoreError``: `closed`, `storeCleared`, `projectionUnavailable`, `logDamaged`; ``RowDamage`` where
        ///   a row does not decode.
        public mutating func next() async throws -> LiveResult<Value>? {
            do {
                try Task.checkCancellation()
                if let source {
                    self.source = nil
                    let source = try source.get()
                    if let query = try source.plainQuery {
                        reader = try LiveQueryReader(source, query)
                    } else {
                        relatedReader = try RelatedLiveReader(source)
                    }
                }
                if reader != nil { return try await reader?.next() }
                return try await relatedReader?.next()
            } catch {
                source = nil
                reader = nil
                relatedReader = nil
                if error is CancellationError { return nil }
                throw error
            }
        }
    }
}

/// What a live query asks of which log, and what it makes of a row.
struct LiveSource<Value: Sendable>: Sendable {
    let log: FollowedLog
    let model: ModelLayout
    let predicate: QueryPredicate
    let sort: Sort
    let page: Page
    let decode: @Sendable (RowView, ModelLayout) throws -> Value
    /// The relations whose records are loaded with each result, if there are any.
    var including: LiveInclusion<Value>?

    /// How many events are looked at before others have their turn.
    static var chunkEventCount: Int { 1_024 }

    /// The query as an adapter gets it; `nil` if it follows relations, or its page comes after a record.
    var plainQuery: StorageQuery? {
        get throws {
            if predicate.followsRelations(of: model) || page.anchor != nil || including != nil { return nil }
            return try StorageQuery(model: model, predicate: predicate, sort: sort, page: page)
        }
    }
}

/// Relations whose records are loaded with the results of a live query.
struct LiveInclusion<Value: Sendable>: Sendable {
    /// The relations' names.
    let relations: Set<String>
    /// Reads the records of a query with what the relations lead to, and what tells all of it from other results.
    let read: @Sendable (RecordQuery, RelatedReader) throws -> (items: [Value], fingerprint: Int)
}

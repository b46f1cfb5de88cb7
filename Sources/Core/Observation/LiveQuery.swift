/// The results of a query, now and again after every change. `observeQuery` returns this sequence.
///
/// Each iteration works independently, and only when the next result is requested. Nothing runs in between. While the receiver
/// is busy, commits are combined, and the latest result is always delivered. The iteration of a cancelled task ends without an
/// error.
public struct LiveQuery<Value: Sendable>: AsyncSequence, Sendable {
    /// A result.
    public typealias Element = LiveResult<Value>

    private let source: Result<Source, any Error>

    init(_ source: () throws -> Source) { self.source = Result(catching: source) }

    /// Begins to observe.
    public func makeAsyncIterator() -> Iterator { Iterator(source) }

    /// Reads the results in order.
    public struct Iterator: AsyncIteratorProtocol {
        private var source: Result<Source, any Error>?
        private var reader: LiveQueryReader<Value>?
        private var relatedReader: RelatedLiveReader<Value>?

        init(_ source: Result<Source, any Error>) { self.source = source }

        /// The first result at once, then the next result that differs from the last. Returns `nil` after the task was
        /// cancelled.
        ///
        /// - Throws: ``DataStoreError``: `closed`, `storeCleared`, `projectionUnavailable`, `logDamaged`; and ``RowDamage`` if
        ///   a row cannot be decoded.
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

    /// The log and the query of a live query, and the function that decodes its rows.
    struct Source: Sendable {
        let log: FollowedLog
        let model: ModelLayout
        let predicate: QueryPredicate
        let sort: Sort
        let page: Page
        let decode: @Sendable (RowView, ModelLayout) throws -> Value
        /// The relations whose records are loaded with each result, or `nil` if there are none.
        var including: Inclusion?

        /// The number of events to read before other tasks can run.
        static var chunkEventCount: Int { 1_024 }

        /// The query for an adapter, or `nil` if it follows or includes relations, or if its page begins after a record.
        var plainQuery: StorageQuery? {
            get throws {
                if predicate.followsRelations(of: model) || page.anchor != nil || including != nil { return nil }
                return try StorageQuery(model: model, predicate: predicate, sort: sort, page: page)
            }
        }
    }

    /// Relations whose records are loaded with the results of a live query.
    struct Inclusion: Sendable {
        /// The relations' names.
        let relations: Set<String>
        /// Reads the records of a query together with their related records. The fingerprint distinguishes results.
        let read: @Sendable (RecordQuery, RelatedReader) throws -> (items: [Value], fingerprint: Int)
    }
}

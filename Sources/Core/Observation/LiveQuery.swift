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
        private var stage: Stage

        private enum Stage {
            /// No result was requested yet.
            case begins(Result<Source, any Error>)
            case reads(LiveQueryReader<Value>)
            case readsRelated(RelatedLiveReader<Value>)
            /// An error was thrown, or the task was cancelled.
            case ended
        }

        init(_ source: Result<Source, any Error>) { stage = .begins(source) }

        /// The first result at once, then the next result that differs from the last. Returns `nil` after the task was
        /// cancelled.
        ///
        /// - Throws: ``DataStoreError``: `closed`, `storeCleared`, `projectionUnavailable`, `logDamaged`; and ``RowDamage`` if
        ///   a row cannot be decoded.
        public mutating func next() async throws -> LiveResult<Value>? {
            // An error leaves the iteration ended. A reader is the only owner of its page, so that the page is not copied.
            let current = stage
            stage = .ended
            do {
                try Task.checkCancellation()
                switch try Self.begun(consume current) {
                case .reads(var reader):
                    let result = try await reader.next()
                    stage = .reads(reader)
                    return result
                case .readsRelated(var reader):
                    let result = try await reader.next()
                    stage = .readsRelated(reader)
                    return result
                case .begins, .ended: return nil
                }
            } catch is CancellationError {
                return nil
            }
        }

        /// The stage after the query has run for the first time.
        private static func begun(_ stage: consuming Stage) throws -> Stage {
            guard case .begins(let source) = stage else { return stage }
            let found = try source.get()
            guard let query = try found.plainQuery else { return .readsRelated(try RelatedLiveReader(found)) }
            return .reads(try LiveQueryReader(found, query))
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

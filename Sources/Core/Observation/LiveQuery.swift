/// The results of a query, now and again after every change. `observe` returns this sequence.
///
/// Each iteration works independently, and only when the next result is requested. Nothing runs in between. While the receiver
/// is busy, commits are combined, and the latest result is always delivered. The iteration of a cancelled task ends without an
/// error.
public struct LiveQuery<Value: Fetchable>: AsyncSequence, Sendable {
    /// A result.
    public typealias Element = LiveResult<Value>

    private let query: Query<Value>
    private let log: Result<FollowedLog, any Error>

    init(_ query: Query<Value>, _ log: () throws -> FollowedLog) {
        self.query = query
        self.log = Result(catching: log)
    }

    /// Begins to observe.
    public func makeAsyncIterator() -> Iterator { Iterator(stage: .begins(query, log)) }

    /// Reads the results in order.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var stage: Stage

        fileprivate enum Stage {
            /// No result was requested yet.
            case begins(Query<Value>, Result<FollowedLog, any Error>)
            case reads(LiveQueryReader<Value>)
            case readsRelated(RelatedLiveReader<Value>)
            /// An error was thrown, or the task was cancelled.
            case ended
        }

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
            guard case .begins(let query, let log) = stage else { return stage }
            let found = try log.get()
            let model = try found.layout.model(of: query)
            guard let plain = try query.plain(of: model) else {
                return .readsRelated(try RelatedLiveReader(query, model, found))
            }
            return .reads(try LiveQueryReader(plain, found))
        }
    }
}

extension Query {
    /// The query for an adapter, or `nil` if the query depends on other models, or if its page begins after a record.
    fileprivate func plain(of model: ModelLayout) throws -> StorageQuery? {
        if predicate.followsRelations(of: model) || page.anchor != nil || !inclusions.isEmpty || origin != nil {
            return nil
        }
        return try StorageQuery(model: model, predicate: predicate, sort: sort, page: page)
    }
}

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
    public func makeAsyncIterator() -> Iterator { Iterator(query: query, log: log, stage: .begins) }

    /// Reads the results in order.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let query: Query<Value>
        fileprivate var log: Result<FollowedLog, any Error>
        fileprivate var stage: Stage

        fileprivate enum Stage {
            /// No result was requested yet.
            case begins
            case reads(LiveQueryReader<Value>)
            case readsRelated(RelatedLiveReader<Value>)
            /// An error was thrown, or the task was cancelled.
            case ended
        }

        /// The first result at once, then the next result that differs from the last. Returns `nil` after the task was
        /// cancelled. While the store is suspended, this method waits.
        ///
        /// - Throws: ``DataStoreError``: `closed`, `storeCleared`, `projectionUnavailable`, `logDamaged`; and ``RowDamage`` if
        ///   a row cannot be decoded.
        public mutating func next() async throws -> LiveResult<Value>? {
            do {
                while true {
                    do { return try await read() } catch let error as DataStoreError where error.code == .suspended {
                        // A live query that was made during the suspension has no log to wait for.
                        log = .success(try await log.get().resumed())
                        try begin()
                    }
                }
            } catch is CancellationError {
                stage = .ended
                return nil
            } catch {
                stage = .ended
                throw error
            }
        }

        /// The next result. After an error, the stage shows what was delivered.
        private mutating func read() async throws -> LiveResult<Value>? {
            try Task.checkCancellation()
            if case .begins = stage { try begin() }
            // A reader is the only owner of its page, so that the page is not copied.
            let current = stage
            stage = .ended
            switch consume current {
            case .reads(var reader):
                defer { stage = .reads(reader) }
                return try await reader.next()
            case .readsRelated(var reader):
                defer { stage = .readsRelated(reader) }
                return try await reader.next()
            case .begins, .ended: return nil
            }
        }

        /// Runs the query for the first time in the present log.
        private mutating func begin() throws {
            let found = try log.get()
            let model = try found.layout.model(of: query)
            guard let plain = try query.plain(of: model) else {
                var reader = try RelatedLiveReader(query, model, found)
                if case .readsRelated(let earlier) = stage { reader.continue(earlier) }
                stage = .readsRelated(reader)
                return
            }
            var reader = try LiveQueryReader<Value>(plain, found)
            if case .reads(let earlier) = stage { reader.continue(earlier) }
            stage = .reads(reader)
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

/// A query's results, now and after every change: what `observeQuery` returns.
///
/// Each iteration works on its own, and only when it is asked for the next result; nothing runs in between. While the
/// receiver is busy commits coalesce, and the last is always delivered. A cancelled task's iteration ends without an error.
public struct LiveQuery<Value: Sendable>: AsyncSequence, Sendable {
    /// A result.
    public typealias Element = LiveResult<Value>

    private let source: Result<(log: FollowedLog, query: LiveSelection), any Error>
    private let decode: @Sendable (RowView, ModelLayout) throws -> Value

    init(
        decode: @escaping @Sendable (RowView, ModelLayout) throws -> Value,
        _ source: () throws -> (log: FollowedLog, query: LiveSelection)
    ) {
        self.source = Result(catching: source)
        self.decode = decode
    }

    /// Begins to observe.
    public func makeAsyncIterator() -> Iterator { Iterator(source, decode) }

    /// Reads the results one after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private var source: Result<(log: FollowedLog, query: LiveSelection), any Error>?
        private let decode: @Sendable (RowView, ModelLayout) throws -> Value
        private var reader: LiveQueryReader<Value>?
        private var relatedReader: RelatedLiveReader<Value>?

        init(
            _ source: Result<(log: FollowedLog, query: LiveSelection), any Error>,
            _ decode: @escaping @Sendable (RowView, ModelLayout) throws -> Value
        ) {
            self.source = source
            self.decode = decode
        }

        /// The first result at once; then the next that differs from the one before. `nil` once the task is cancelled.
        ///
        /// - Throws: ``DataStoreError``: `closed`, `storeCleared`, `projectionUnavailable`, `logDamaged`; ``RowDamage`` where
        ///   a row does not decode.
        public mutating func next() async throws -> LiveResult<Value>? {
            do {
                try Task.checkCancellation()
                if let source {
                    self.source = nil
                    let (log, query) = try source.get()
                    if let plain = try query.plain {
                        reader = try LiveQueryReader(log, plain, decode: decode)
                    } else {
                        relatedReader = try RelatedLiveReader(log, query, decode: decode)
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

/// What a live query asks for.
struct LiveSelection: Sendable {
    let model: ModelLayout
    let predicate: Predicate
    let sort: Sort
    let page: Page

    /// The same as an adapter gets it; `nil` where the predicate follows relations.
    var plain: StorageQuery? {
        get throws {
            if predicate.followsRelations { return nil }
            return try StorageQuery(model: model, predicate: predicate, sort: sort, page: page)
        }
    }
}

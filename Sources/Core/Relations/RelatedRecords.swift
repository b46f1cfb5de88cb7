/// The related records of a record: a lazy sequence that reads page by page while it is iterated.
///
/// ```swift
/// for try await comment in post.comments { print(comment.content) }
/// let latest = try await post.comments.sorted(by: .descending(Comment.keys.createdAt)).page(.first(20))
/// ```
///
/// Without a sort, the records are in the order of the index that the relation uses, then by key. Each page shows the store at
/// the time when it is read, and begins after the last record of the page before. In key order, no record appears twice. In
/// another order, a record that moves during the iteration may appear twice.
public struct RelatedRecords<Element: Model>: AsyncSequence, Sendable {
    private let loaded: [Element]?
    private let store: Result<StoreHandle, DataStoreError>
    /// The records to which the relation leads. It differs from `relation` if this sequence has a condition or an order.
    private var query: Query<Element>
    private let relation: Query<Element>

    /// The number of records that are read at once.
    private static var pageCount: Int { 100 }

    /// - Parameter loaded: The records, if they were read already.
    init<Owner>(
        loaded: [Element]? = nil, from store: StoreHandle?, _ owner: Owner, _ relation: Relation<Owner, Element>
    ) {
        self.loaded = loaded
        self.store = store.map { .success($0) } ?? .failure(Self.belongsToNoStore)
        self.relation = relation.of(owner)
        query = self.relation
    }

    init(failing error: DataStoreError) {
        loaded = nil
        store = .failure(error)
        relation = Element.all
        query = relation
    }

    private static var belongsToNoStore: DataStoreError {
        DataStoreError(
            .notFound, "The value was not read from a store.", model: Element.schema.name,
            recovery: "Ask the store: store.fetch(relation.of(value)).")
    }

    /// The records that match `predicate`.
    public func `where`(_ predicate: ModelPredicate<Element>) -> RelatedRecords { with(query.where(predicate)) }

    /// The records in the order of `sort`.
    public func sorted(by sort: Sort) -> RelatedRecords { with(query.sorted(by: sort)) }

    private func with(_ query: Query<Element>) -> RelatedRecords {
        var records = self
        records.query = query
        return records
    }

    /// The records that were read already, if they are the whole answer.
    private var answer: [Element]? { relation == query ? loaded : nil }

    /// All of the records, from one consistent view.
    public func all() async throws -> [Element] { try await page(.all) }

    /// The part of the records that `page` describes.
    public func page(_ page: Page) async throws -> [Element] {
        if let answer, page.anchor == nil { return Array(page.slice(of: answer)) }
        return try read(page)
    }

    /// The first record, or `nil` if there is none.
    public func first() async throws -> Element? { try await page(.first(1)).first }

    /// The number of records.
    public func count() async throws -> Int {
        if let answer { return answer.count }
        return try store.get().read { try RecordQuery(query, $0.layout.model(of: query), in: $0).count() }
    }

    private func read(_ page: Page) throws -> [Element] {
        try store.get().read { try $0.fetch(query.page(page)) }
    }

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Reads the records in order.
    public struct Iterator: AsyncIteratorProtocol {
        private let records: RelatedRecords
        private var buffer: [Element]
        private var position = 0
        private var isAtEnd: Bool

        init(_ records: RelatedRecords) {
            self.records = records
            buffer = records.answer ?? []
            isAtEnd = records.answer != nil
        }

        /// The next record, or `nil` after the last.
        ///
        /// - Throws: ``DataStoreError``: `notFound` if the value belongs to no store; `invalidPredicate`, `closed`,
        ///   `projectionUnavailable`; `CancellationError`.
        public mutating func next() async throws -> Element? {
            if position == buffer.count {
                guard !isAtEnd else { return nil }
                try Task.checkCancellation()
                try fill()
                guard !buffer.isEmpty else { return nil }
            }
            defer { position += 1 }
            return buffer[position]
        }

        private mutating func fill() throws {
            let limit = RelatedRecords.pageCount
            buffer = try records.read(buffer.last.map { .after($0, limit: limit) } ?? .first(limit))
            position = 0
            isAtEnd = buffer.count < limit
        }
    }
}

/// The related records of a record: a lazy sequence that reads page by page while it is iterated.
///
/// ```swift
/// for try await comment in post.comments { print(comment.content) }
/// let latest = try await post.comments.sorted(by: .descending(Comment.keys.createdAt)).page(.first(20))
/// ```
///
/// Without a sort, the records are in the order of the index that the relation uses, then by key. Each page shows the store at
/// the time when it is read. In key order, no record appears twice. In another order, a record that moves during the iteration
/// may appear twice.
public struct RelatedRecords<Element: Model>: AsyncSequence, Sendable {
    private let loaded: [Element]?
    private let source: Result<RelatedSource, DataStoreError>
    private var predicate = QueryPredicate.all
    private var sort: Sort?

    /// The number of records that are read at once.
    private static var pageCount: Int { 100 }

    /// - Parameter loaded: The records, if they were read already.
    init<Owner>(
        loaded: [Element]? = nil, from store: StoreHandle?, _ owner: Owner, _ relation: Relation<Owner, Element>
    ) {
        self.loaded = loaded
        source = store.map { .success(RelatedSource($0, owner, relation)) } ?? .failure(Self.belongsToNoStore)
    }

    init(failing error: DataStoreError) {
        loaded = nil
        source = .failure(error)
    }

    private static var belongsToNoStore: DataStoreError {
        DataStoreError(
            .notFound, "The value was not read from a store.", model: Element.schema.name,
            recovery: "Ask the store: store.relatedRecords(value, relation).")
    }

    /// The records that match `predicate`.
    public func `where`(_ predicate: ModelPredicate<Element>) -> RelatedRecords {
        var records = self
        let predicate = predicate.queryPredicate
        records.predicate = self.predicate == .all ? predicate : self.predicate && predicate
        return records
    }

    /// The records in the order of `sort`.
    public func sorted(by sort: Sort) -> RelatedRecords {
        var records = self
        records.sort = sort
        return records
    }

    /// The records that were read already, if they are the whole answer.
    private var answer: [Element]? { predicate == .all && sort == nil ? loaded : nil }

    /// All of the records, from one consistent view.
    public func all() async throws -> [Element] { try await page(.all) }

    /// The part of the records that `page` describes.
    public func page(_ page: Page) async throws -> [Element] {
        if let answer, page.anchor == nil { return Array(page.slice(of: answer)) }
        return try source.get().read(RelatedReader.Selection(predicate: predicate, sort: sort, page: page)).records
    }

    /// The first record, or `nil` if there is none.
    public func first() async throws -> Element? { try await page(.first(1)).first }

    /// The number of records.
    public func count() async throws -> Int {
        if let answer { return answer.count }
        return try source.get().count(RelatedReader.Selection(predicate: predicate, sort: sort))
    }

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Reads the records in order.
    public struct Iterator: AsyncIteratorProtocol {
        private let records: RelatedRecords
        private var buffer: [Element]
        private var position = 0
        private var readCount = 0
        private var lastKey: [UInt8]?
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
            let page = Page(offset: readCount, limit: RelatedRecords.pageCount)
            let (found, key): ([Element], [UInt8]?) = try records.source.get().read(
                RelatedReader.Selection(predicate: records.predicate, sort: records.sort, page: page, after: lastKey))
            buffer = found
            lastKey = key
            position = 0
            readCount += found.count
            isAtEnd = found.count < RelatedRecords.pageCount
        }
    }
}

/// The source of related records: a store, and the record whose relations are read.
private struct RelatedSource: Sendable {
    private let store: StoreHandle
    private let forEach:
        @Sendable (RelatedReader, RelatedReader.Selection, (StoredRow, ModelLayout) throws -> Bool) throws -> Void

    init<Owner, Target>(_ store: StoreHandle, _ owner: Owner, _ relation: Relation<Owner, Target>) {
        self.store = store
        forEach = { reader, selection, body in try reader.forEach(relation, of: owner, selection, body) }
    }

    /// The records of `selection`, and the key of the last one.
    func read<Target: Model>(_ selection: RelatedReader.Selection) throws -> (records: [Target], lastKey: [UInt8]?) {
        var records: [Target] = []
        var lastKey: [UInt8]?
        try store.read { reader in
            try forEach(reader, selection) { row, model in
                lastKey = Array(row.key)
                records.append(try Target.decoded(row.row, model, store: store))
                return true
            }
        }
        return (records, lastKey)
    }

    func count(_ selection: RelatedReader.Selection) throws -> Int {
        var count = 0
        try store.read { reader in
            try forEach(reader, selection) { _, _ in
                count += 1
                return true
            }
        }
        return count
    }
}

@_spi(Adapters) package import TidelogCore

/// A query for a page whose limit counts records that need not all be returned.
///
/// The records that satisfy the predicate and `admission` count for the limit. A record is returned only if it also satisfies
/// `filter`. So the end of the page does not show how many records the filter keeps.
package struct PageQuery: Sendable {
    /// The condition and the order with which the adapter finds the records.
    package var query: Query<Record>
    /// The place where the previous page ended; `nil` for the first page.
    package var place: PagePlace?
    /// The largest number of records that count.
    package var limit: Int
    /// A record that does not satisfy this predicate does not count and is not returned.
    package var admission = QueryPredicate.all
    /// A record that does not satisfy this predicate counts, but is not returned.
    package var filter = QueryPredicate.all
    /// The largest number of rows to read. The page ends there, if it has not ended before.
    package var readLimit = Int.max
    /// Whether a full page reads one row more to find out if there is a next page. Otherwise a full page always has a next one,
    /// which may be empty.
    package var looksAhead = true
    /// The number of bytes after which the filter has to stop. The page ends after the record with which they are reached.
    package var comparisonTurn = 1 << 20
    /// The number of bytes that the filter may compare. Nothing useful is returned if it would compare more.
    package var comparisonLimit = Int.max

    /// A query for the records of `query` in pages of `limit`. `query` has no page of its own.
    package init(_ query: Query<Record>, limit: Int, place: PagePlace? = nil) {
        precondition(limit > 0, "a page has room for a record")
        self.query = query
        self.limit = limit
        self.place = place
    }
}

/// A page of a ``PageQuery``.
package struct CountedPage: Sendable {
    /// The rows of the records that satisfy everything, in the order of the query.
    package var rows: DecodedRows
    /// The place where the next page begins; `nil` if this is the last page.
    package var next: PagePlace?
    /// The number of records that counted for the limit.
    package var count = 0
    /// The number of rows that were read for the page.
    package var readCount = 0
    /// The number of bytes that the filter compared. If it is beyond the limit, the page has no meaning.
    package var comparedByteCount = 0

    /// The records that satisfy everything, in the order of the query.
    package var records: [Record] { rows.records }
}

extension StoreSnapshot {
    /// The page that `query` asks for.
    package func page(_ query: PageQuery) throws -> CountedPage { try query.page(in: related) }
}

extension PageQuery {
    /// The page that this query asks for. The predicates are evaluated on stored rows, so that only the returned records are
    /// decoded.
    package func page(in related: RelatedReader) throws -> CountedPage {
        let (records, model) = try paged(in: related)
        var reader = try CountedPageReader(self, model)
        try records.fetch { row in try reader.add(row) }
        return reader.page
    }

    /// The plan for the page.
    package func plan(in related: RelatedReader) throws -> QueryPlan { try paged(in: related).records.plan() }

    private func paged(in related: RelatedReader) throws -> (records: RecordQuery, model: ModelLayout) {
        let model = try related.layout.model(of: query)
        // One more row shows whether there is a next page.
        let limit = admission == .all ? limit + 1 : nil
        let page = place.map { Page.after($0, limit: limit) } ?? Page(limit: limit)
        return (try RecordQuery(query.page(page), model, in: related), model)
    }
}

/// The rows of a page, while they are read.
private struct CountedPageReader {
    private let query: PageQuery
    private let admission: RowPredicate
    private let filter: RowPredicate
    private let sorted: [FieldLayout]
    private var compared: ComparedBytes
    private(set) var page: CountedPage
    /// The place after the last record that counted or, if the rows ran out, after the last row.
    private var end: PagePlace?

    init(_ query: PageQuery, _ model: ModelLayout) throws {
        self.query = query
        admission = try RowPredicate(query.admission, for: model.stored)
        filter = try RowPredicate(query.filter, for: model.stored)
        sorted = query.query.sort.keys.compactMap { model.stored.row.field(named: $0.field) }
        page = CountedPage(rows: DecodedRows(layout: model))
        compared = ComparedBytes(limit: query.comparisonLimit)
    }

    /// Adds `row`, the next one. Returns whether more rows are needed.
    mutating func add(_ row: StoredRow) throws -> Bool {
        if let end { return try addAfterEnd(end, row) }
        page.readCount += 1
        if try admission.evaluate(row.row) {
            page.count += 1
            if try filter.evaluate(row.row, counting: &compared) { try page.rows.append(row.row) }
            page.comparedByteCount = compared.count
            guard !compared.isExceeded else { return false }
        }
        let isFull = page.count >= query.limit
        if isFull || page.readCount >= query.readLimit || compared.count >= query.comparisonTurn {
            let place = try PagePlace(of: row.row, key: row.key, in: sorted)
            guard query.looksAhead else {
                page.next = place
                return false
            }
            end = place
        }
        return true
    }

    /// Looks at a row after the end of the page. If the row would count, there is a next page.
    private mutating func addAfterEnd(_ end: PagePlace, _ row: StoredRow) throws -> Bool {
        guard page.readCount < query.readLimit, try !admission.evaluate(row.row) else {
            page.next = end
            return false
        }
        page.readCount += 1
        if page.readCount >= query.readLimit {
            // The rows up to here do not count, so the next page need not read them again.
            self.end = try PagePlace(of: row.row, key: row.key, in: sorted)
        }
        return true
    }
}

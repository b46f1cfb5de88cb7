/// The order of records: `.ascending(Post.keys.rating)`.
public typealias QuerySortInput = Sort

/// A part of an ordered result: `.page(0, limit: 20)`.
public typealias QueryPaginationInput = Page

extension Page {
    /// The first 100 records.
    public static let firstPage = Page.page(0)

    /// The first record.
    public static let firstResult = Page.first(1)
}

/// A result of ``DataStoreCategory/observeQuery(for:where:sort:)``.
public struct DataStoreQuerySnapshot<M: Model>: Sendable {
    /// The records, in the query's order.
    public let items: [M]
    /// Whether the store has received everything that the server had.
    public let isSynced: Bool

    init(_ result: LiveResult<M>) {
        items = result.items
        isSynced = result.isSynced
    }
}

/// A page of records from the server.
public struct List<M: Model>: RandomAccessCollection, Sendable {
    private let elements: [M]
    private let nextToken: String?
    private let fetch: @Sendable (String) async throws -> List<M>

    /// Requests the page at `token`.
    init(page token: String?, of predicate: ModelPredicate<M>, limit: Int?, _ client: GraphQLClient) async throws {
        let page = try await client.query(.list(M.where(predicate).page(Page(limit: limit)), nextToken: token))
        elements = page.records.compactMap(\.value)
        nextToken = page.nextToken
        fetch = { try await List(page: $0, of: predicate, limit: limit, client) }
        if !page.errors.isEmpty { throw GraphQLResponseError<List<M>>.partial(self, page.errors) }
    }

    /// The place of the first record.
    public var startIndex: Int { elements.startIndex }

    /// The place after the last record.
    public var endIndex: Int { elements.endIndex }

    /// The record at `position`.
    public subscript(position: Int) -> M { elements[position] }

    /// Whether the server has more records.
    public func hasNextPage() -> Bool { nextToken != nil }

    /// Requests the page after this one.
    ///
    /// - Throws: ``APIError``. It is also thrown if there is no further page.
    public func getNextPage() async throws -> List<M> {
        guard let nextToken else { throw APIError(.other, "There is no further page. Ask hasNextPage() before.") }
        return try await fetch(nextToken)
    }
}

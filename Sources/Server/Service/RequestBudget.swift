internal import TidelogGraphQLExecution
internal import TidelogSynchronization

/// The budget of one request: how much it may read, and how long its response may be. A short document can ask for very much.
final class RequestBudget: Sendable {
    /// The limit of reads from the store. A read is one record or one page. AppSync allows as many resolver calls per request.
    static let maximumReads = 10_000
    /// The limit of records on all pages together.
    static let maximumRecords = 100_000

    /// The number of bytes that are reserved for the parts of a response that are not records, such as names and page tokens.
    private static let uncountedByteCount = 4_096

    private let reads = Atomic<Int>(0)
    private let records = Atomic<Int>(0)
    private let maximumResponseBytes: Int
    /// The bytes of the response in the response pool. The request holds them until the response was sent.
    let share: ResponsePool.Share
    /// The budget for the comparisons of filters and conditions.
    let comparisons: ComparisonBudget

    /// - Parameters:
    ///   - maximumComparedBytes: The number of bytes that filters and conditions may compare.
    ///   - maximumResponseBytes: The largest size of the response in bytes.
    ///   - share: The response's share of the bytes of all responses.
    init(maximumComparedBytes: Int, maximumResponseBytes: Int, share: ResponsePool.Share) {
        comparisons = ComparisonBudget(maximumByteCount: maximumComparedBytes)
        (self.maximumResponseBytes, self.share) = (maximumResponseBytes, share)
    }

    /// The number of reads so far.
    var readCount: Int { reads.load(ordering: .relaxed) }
    /// The number of records so far.
    var recordCount: Int { records.load(ordering: .relaxed) }

    /// Counts a read.
    func spendRead() throws(ResolverError) {
        guard reads.wrappingAdd(1, ordering: .relaxed).newValue <= Self.maximumReads else {
            throw Self.exceeded("more than 10,000 reads")
        }
    }

    /// Counts the records of a page.
    func spend(records count: Int) throws(ResolverError) {
        precondition(count >= 0, "a page has no negative number of records")
        guard records.wrappingAdd(count, ordering: .relaxed).newValue <= Self.maximumRecords else {
            throw Self.exceeded("more than 100,000 records")
        }
    }

    /// The number of bytes by which the response may still grow.
    var responseRoom: Int { maximumResponseBytes - Self.uncountedByteCount - share.byteCount }

    /// Counts a part of the response.
    ///
    /// - Throws: An error of the type `LimitExceededException` if the response would be too long; an error of the type
    ///   `ServiceUnavailableException` if all responses together would be too long.
    func spend(responseBytes count: Int) throws(ResolverError) {
        guard count <= responseRoom else {
            throw Self.exceeded("a response of more than \(maximumResponseBytes) bytes")
        }
        guard share.take(count) else {
            throw ResolverError(
                "The server has too many responses under way: try again in a moment.",
                errorType: ServiceFailure.overloaded)
        }
    }

    private static func exceeded(_ what: String) -> ResolverError {
        ResolverError(
            "The request asks for too much, \(what): ask for less at a time.", errorType: ServiceFailure.limitExceeded)
    }
}

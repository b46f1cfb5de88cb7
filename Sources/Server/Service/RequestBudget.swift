internal import Synchronization
internal import TidelogGraphQL

/// How much one request may read and be answered: a short document can ask for very much.
final class RequestBudget: Sendable {
    /// Reads of the store: a record, or a page of them. As many as AppSync calls resolvers for a request.
    static let maximumReads = 10_000
    /// Records on all pages together.
    static let maximumRecords = 100_000

    /// What a response has besides its records: names, tokens of pages and the like.
    private static let uncountedByteCount = 4_096

    private let reads = Atomic<Int>(0)
    private let records = Atomic<Int>(0)
    private let maximumResponseBytes: Int
    /// The bytes of the response, which the request holds until it was sent.
    let share: ResponseShare
    /// What filters and conditions may compare.
    let comparisons: ComparisonBudget

    /// - Parameters:
    ///   - maximumComparedBytes: How many bytes filters and conditions may compare.
    ///   - maximumResponseBytes: How many bytes the response may have.
    ///   - share: The response's share of the bytes of all responses.
    init(maximumComparedBytes: Int, maximumResponseBytes: Int, share: ResponseShare) {
        comparisons = ComparisonBudget(maximumByteCount: maximumComparedBytes)
        (self.maximumResponseBytes, self.share) = (maximumResponseBytes, share)
    }

    /// Reads until now.
    var readCount: Int { reads.load(ordering: .relaxed) }
    /// Records until now.
    var recordCount: Int { records.load(ordering: .relaxed) }

    /// Counts a read.
    func spendRead() throws(ResolverError) {
        guard reads.wrappingAdd(1, ordering: .relaxed).newValue <= Self.maximumReads else {
            throw Self.exceeded("more than 10,000 reads")
        }
    }

    /// Counts the records of a page.
    func spend(records count: Int) throws(ResolverError) {
        guard records.wrappingAdd(count, ordering: .relaxed).newValue <= Self.maximumRecords else {
            throw Self.exceeded("more than 100,000 records")
        }
    }

    /// How many bytes the response may still have.
    var responseRoom: Int { maximumResponseBytes - Self.uncountedByteCount - share.byteCount }

    /// Counts a part of the response.
    ///
    /// - Throws: an error of the type `LimitExceededException` if the response would be too long, or of the type
    ///   `ServiceUnavailableException` if all responses together would.
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

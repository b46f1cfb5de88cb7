internal import Synchronization
internal import TidelogGraphQL

/// How much one request may read: a short document can ask for very much.
final class RequestBudget: Sendable {
    /// Reads of the store: a record, or a page of them. As many as AppSync calls resolvers for a request.
    static let maximumReads = 10_000
    /// Records on all pages together.
    static let maximumRecords = 100_000

    /// Comparisons of filters with their values.
    static let maximumTests = 10_000_000

    private let reads = Atomic<Int>(0)
    private let records = Atomic<Int>(0)
    private let tests = Atomic<Int>(0)

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

    /// Counts what filters compare.
    func spend(tests count: Int) throws(ResolverError) {
        guard tests.wrappingAdd(count, ordering: .relaxed).newValue <= Self.maximumTests else {
            throw Self.exceeded("more than 10,000,000 comparisons of filters")
        }
    }

    private static func exceeded(_ what: String) -> ResolverError {
        ResolverError(
            "The request asks for too much, \(what): ask for less at a time.", errorType: "LimitExceededException")
    }
}
